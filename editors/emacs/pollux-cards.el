;;; pollux-cards.el --- Events of a session as cards  -*- lexical-binding: t; -*-

;; SPDX-License-Identifier: Apache-2.0

;;; Commentary:

;; Turns the events of a session into what the chat shows.

;;; Code:

(require 'cl-lib)
(require 'pollux-session)
(require 'pollux-transcript)
(require 'pollux-words)

(defface pollux-prompt '((t :inherit (bold highlight) :extend t))
  "What a person said." :group 'pollux)
(defface pollux-dim '((t :inherit shadow))
  "What can be overlooked." :group 'pollux)
(defface pollux-ok '((t :inherit success))
  "The sign of what went well." :group 'pollux)
(defface pollux-failed '((t :inherit error))
  "The sign of what did not." :group 'pollux)
(defface pollux-ask '((t :inherit warning))
  "What waits for an answer." :group 'pollux)
(defface pollux-code '((t :inherit (fixed-pitch font-lock-constant-face)))
  "Code in an answer." :group 'pollux)

(defconst pollux-cards--kept-characters (* 256 1024) "Of what a command prints, this much is kept.")
(defconst pollux-cards--shown-running 5 "Lines of output that are shown while a command runs.")
(defconst pollux-cards--shown-open 60 "Lines of output that are shown when it is unfolded.")

(defvar-local pollux-cards--calls nil "Cards of this turn by call.")
(defvar-local pollux-cards--edits nil "Cards of this turn by proposal.")
(defvar-local pollux-cards-questions nil "Blocks of open questions by number.")
(defvar-local pollux-cards--blocks nil "Blocks of this turn.")
(defvar-local pollux-cards--conflicts nil "Cards of open conflicts by file.")

;;; Cards

(defun pollux-cards--icon-face (icon)
  "The face of ICON."
  (pcase icon
    ("✓" 'pollux-ok)
    ((or "✗" "✕") 'pollux-failed)
    (_ 'pollux-dim)))

(defun pollux-cards-clean (line)
  "LINE without what only a terminal understands."
  (replace-regexp-in-string
   "\\`.*\r" "" (replace-regexp-in-string "\e\\[[0-9;?]*[A-Za-z]" "" line)))

(defun pollux-cards--folded (line indent)
  "LINE of what a card unfolds, set in by INDENT."
  (let* ((text (pollux-cards-clean line))
         (face (cond ((string-prefix-p "+ " text) 'diff-added)
                     ((string-prefix-p "- " text) 'diff-removed)
                     (t 'pollux-dim))))
    (concat "\n" (propertize (concat indent "  │ ") 'font-lock-face 'pollux-dim)
            (propertize text 'font-lock-face face 'wrap-prefix (concat indent "  │ ")))))

(defun pollux-cards--last-printed (block)
  "The last lines that the command of BLOCK printed.
It does not go through all of them."
  (let ((text "") (pieces (pollux-block-printed block)))
    (while (and pieces (< (length text) 2048)) (setq text (concat (pop pieces) text)))
    (last (pollux-words-lines text) pollux-cards--shown-running)))

(defun pollux-cards--draw-card (block)
  "The text of the card BLOCK."
  (let* ((icon (pollux-block-icon block))
         (indent (pollux-block-indent block))
         (fold (lambda (line) (pollux-cards--folded line indent)))
         (head (concat indent (propertize icon 'font-lock-face (pollux-cards--icon-face icon))
                       " " (pollux-block-title block)
                       (if (pollux-block-suffix block)
                           (propertize (concat "  " (pollux-block-suffix block))
                                       'font-lock-face 'pollux-dim)
                         "")))
         (detail (cond ((pollux-block-open block) (funcall (pollux-block-detail block) block))
                       ((and (equal icon "○") (pollux-block-printed block))
                        (pollux-cards--last-printed block))))
         (hidden (- (length detail) pollux-cards--shown-open)))
    (concat (propertize head 'wrap-prefix (concat indent "  "))
            (and (> hidden 0)
                 (funcall fold (format "… %d lines before: o opens all" hidden)))
            (mapconcat fold (if (> hidden 0) (nthcdr hidden detail) detail) ""))))

(defun pollux-cards-card (icon title &rest more)
  "Append a card with ICON and TITLE; MORE are further slots."
  (let ((block (apply #'pollux-block-make :icon icon :title title
                      :draw #'pollux-cards--draw-card more)))
    (push block pollux-cards--blocks)
    (pollux-transcript-add-block 'card block)))

(defun pollux-cards-note (text)
  "Append TEXT by itself."
  (pollux-transcript-add 'note text 'font-lock-face 'pollux-dim))

(defun pollux-cards--output (block)
  "All lines of what BLOCK did."
  (append (pollux-words-lines (string-join (reverse (pollux-block-printed block))))
          (if (pollux-block-edit block)
              (pollux-words-diff (pollux-block-edit block))
            (pollux-words-lines (or (pollux-block-message block) "")))))

(defun pollux-cards--call (event)
  "The card of the call that EVENT names."
  (cdr (assoc (plist-get event :call) pollux-cards--calls)))

;;; Sub-agents

(defun pollux-cards--started (event)
  "A call begins with EVENT: of the model, or of a sub-agent."
  (let* ((within (and (plist-get event :parent)
                      (cdr (assoc (plist-get event :parent) pollux-cards--calls))))
         (title (pollux-words-line (plist-get event :title) 160))
         (card (pollux-cards-card
                "○" (if (and within (> (pollux-cards--agents) 1))
                        ;; Where several work at once, a line says whose it is.
                        (concat (pollux-block-agent within) ": " title)
                      title)
                :detail #'pollux-cards--output
                :call (plist-get event :call)
                :indent (if within (concat (pollux-block-indent within) "  ") "")
                :agent (and (equal (plist-get event :activity) "agent")
                            (car (split-string title ": "))))))
    (push (cons (plist-get event :call) card) pollux-cards--calls)))

(defun pollux-cards--agents ()
  "How many sub-agents are at work."
  (cl-count-if (lambda (call)
                 (and (pollux-block-agent (cdr call)) (equal (pollux-block-icon (cdr call)) "○")))
               pollux-cards--calls))

;;; Conflicts

(defun pollux-cards--contested (event)
  "An edit was kept and is not in its file, as EVENT says.
The person has changed the same lines."
  (let* ((card (alist-get (plist-get event :proposal) pollux-cards--edits))
         (edit (and card (pollux-block-edit card)))
         (path (plist-get edit :path)))
    (when edit
      (push (cons path
                  (pollux-cards-card
                   "⚠" (format "You and Pollux changed the same lines: %s. Yours are in the file; v goes there"
                               path)
                   :edit edit :indent (pollux-block-indent card) :detail #'pollux-cards--output))
            pollux-cards--conflicts))))

(defun pollux-cards--settled (event)
  "Nothing is contested any more in the file of EVENT."
  (let ((path (plist-get event :path)))
    (when (equal (plist-get event :conflicts) 0)
      (dolist (conflict pollux-cards--conflicts)
        (when (equal (car conflict) path)
          (setf (pollux-block-icon (cdr conflict)) "✓"
                (pollux-block-title (cdr conflict)) (concat "Conflict settled: " path))
          (pollux-transcript-redraw (cdr conflict))))
      (setq pollux-cards--conflicts
            (cl-remove path pollux-cards--conflicts :key #'car :test #'equal)))))

;;; Questions

(defun pollux-cards--draw-question (block)
  "The text of the question BLOCK."
  (let* ((question (pollux-block-question block))
         (lines (pollux-words-question question))
         (frame (lambda (sign) (propertize sign 'font-lock-face 'pollux-ask))))
    (concat
     (funcall frame "┌ ") (propertize (car lines) 'font-lock-face 'bold 'wrap-prefix "│ ")
     (mapconcat (lambda (line)
                  (concat "\n" (funcall frame "│ ")
                          (propertize line 'wrap-prefix "│ " 'font-lock-face
                                      (cond ((string-prefix-p "+ " line) 'diff-added)
                                            ((string-prefix-p "- " line) 'diff-removed)
                                            ((string-prefix-p "⚠" line) 'pollux-ask)
                                            (t 'pollux-dim)))))
                (cdr lines) "")
     "\n" (funcall frame "└ ")
     (mapconcat (lambda (key)
                  (concat (propertize (car key) 'font-lock-face 'help-key-binding)
                          (propertize (concat " " (cdr key)) 'font-lock-face 'link)))
                (pollux-words-keys question) " · "))))

(defun pollux-cards--mark-buttons (block)
  "Make what stands beside the keys of BLOCK something to press."
  (save-excursion
    (goto-char (pollux-block-end block))
    (forward-line 0)
    (forward-char 2)
    (dolist (key (pollux-words-keys (pollux-block-question block)))
      (let ((start (point)))
        (forward-char (+ (length (car key)) 1 (length (cdr key))))
        (add-text-properties start (point)
                             (list 'pollux-key (car key) 'mouse-face 'highlight
                                   'follow-link t 'help-echo (concat "Answer: " (cdr key))))
        (ignore-errors (forward-char 3))))))

(defun pollux-cards--ask (event)
  "Show the question EVENT."
  (let ((block (pollux-transcript-add-block
                'question
                (pollux-block-make :question event :born (float-time)
                                   :draw #'pollux-cards--draw-question))))
    (push block pollux-cards--blocks)
    (pollux-cards--mark-buttons block)
    (push (cons (pollux-session-number event) block) pollux-cards-questions)))

(defun pollux-cards--settle (number answer)
  "The question NUMBER has got ANSWER."
  (let* ((block (alist-get number pollux-cards-questions))
         (line (and block (pollux-words-answered (pollux-block-question block) answer))))
    (when block
      (setf (alist-get number pollux-cards-questions nil 'remove) nil
            (pollux-block-question block) nil
            (pollux-block-icon block) (substring line 0 1)
            (pollux-block-title block) (substring line 2)
            (pollux-block-draw block) #'pollux-cards--draw-card)
      (pollux-transcript-redraw block))))

;;; Events

(defun pollux-cards--edited (event)
  "Show on its card that EVENT edits a file."
  (let ((card (or (pollux-cards--call event)
                  (let ((new (pollux-cards-card "○" (concat "Edit " (plist-get event :path))
                                                :detail #'pollux-cards--output)))
                    (push (cons (plist-get event :call) new) pollux-cards--calls)
                    new))))
    (setf (pollux-block-edit card) event
          (pollux-block-suffix card) (pollux-words-edit event))
    (push (cons (plist-get event :proposal) card) pollux-cards--edits)
    (pollux-transcript-redraw card)))

(defun pollux-cards--ended (card event)
  "The call of CARD has ended with EVENT."
  (let ((status (plist-get event :status))
        ;; As the server counts it: without the time in which somebody was asked.
        (seconds (/ (or (plist-get event :durationMs) 0) 1000.0)))
    (setf (pollux-block-icon card)
          (pcase status ("succeeded" "✓") ("failed" "✗") ("cancelled" "–") (_ "·"))
          (pollux-block-message card) (plist-get event :message)
          (pollux-block-suffix card)
          (let ((parts (delq nil
                             (list (cond ((pollux-block-edit card) (pollux-block-suffix card))
                                         ((>= seconds 1) (format "%.1f s" seconds)))
                                   (and (pollux-block-agent card) (equal status "succeeded")
                                        (pollux-words-line (plist-get event :message) 120))
                                   (and (equal status "failed")
                                        (pollux-words-line (plist-get event :message) 120))))))
            (and parts (string-join parts "  "))))
    (pollux-transcript-redraw card)))

(defun pollux-cards--progress (card event)
  "The call of CARD goes on, as EVENT says."
  (let ((total (plist-get event :total)))
    (setf (pollux-block-suffix card)
          (if (and (pollux-block-agent card) (numberp total))
              (concat (and (plist-get event :message)
                           (concat (pollux-words-line (plist-get event :message) 100) " · "))
                      (format "turn %d of %d" (plist-get event :done) total))
            (string-trim (concat (or (plist-get event :message) "")
                                 (and (numberp total) (> total 0)
                                      (format " %d %%" (/ (* 100 (plist-get event :done)) total)))))))
    (pollux-transcript-redraw card)))

(defun pollux-cards--printed (card text)
  "The command of CARD has printed TEXT."
  (push text (pollux-block-printed card))
  (cl-incf (pollux-block-size card) (length text))
  (when (> (pollux-block-size card) (* 2 pollux-cards--kept-characters))
    (let ((all (string-join (reverse (pollux-block-printed card)))))
      (setf (pollux-block-printed card)
            (list (substring all (- (length all) pollux-cards--kept-characters)))
            (pollux-block-size card) pollux-cards--kept-characters)))
  (pollux-transcript-redraw card))

(defun pollux-cards--said (text mark &optional turn)
  "Show that the person said TEXT; MARK stands before its first line.
TURN is the number of the turn that began with it."
  (let ((margin (concat "▌ " (make-string (length mark) ?\s))))
    (pollux-transcript-add 'prompt
                           (concat "▌ " mark
                                   (string-join (or (pollux-words-lines text) '(""))
                                                (concat "\n" margin)))
                           'font-lock-face 'pollux-prompt 'wrap-prefix margin
                           'pollux-prompt t 'pollux-turn turn)))

(defun pollux-cards--turn-ended (event)
  "A turn has ended with EVENT: nothing of it changes any more."
  (dolist (question pollux-cards-questions) (pollux-cards--settle (car question) nil))
  (let ((lines (pollux-words-ending event)))
    (when lines (pollux-cards-note (string-join lines "\n"))))
  (mapc #'pollux-transcript-release pollux-cards--blocks)
  (setq pollux-cards--blocks nil
        pollux-cards--calls nil
        pollux-cards--edits nil))

(defun pollux-cards--compressed (event)
  "The conversation was made shorter, as EVENT says."
  (let ((status (plist-get event :status)))
    (unless (equal status "NOOP")
      (pollux-cards-card
       "↧" (if (string-prefix-p "FAILED" status)
               "The conversation could not be made shorter"
             (format "The conversation was made shorter: %s tokens, before %s"
                     (pollux-words-tokens (plist-get event :after))
                     (pollux-words-tokens (plist-get event :before))))))))

(defun pollux-cards--decided (event)
  "Somebody has decided about an edit, as EVENT says."
  (let ((card (alist-get (plist-get event :proposal) pollux-cards--edits))
        (question (alist-get (plist-get event :proposal) pollux-cards-questions)))
    (when card
      (setf (pollux-block-suffix card)
            (pollux-words-edit (pollux-block-edit card) (plist-get event :decisions)))
      (pollux-transcript-redraw card))
    ;; The card says it all: the question goes.
    (when (and card question)
      (setf (alist-get (plist-get event :proposal) pollux-cards-questions nil 'remove) nil)
      (setq pollux-cards--blocks (delq question pollux-cards--blocks))
      (pollux-transcript-remove question))))

(defun pollux-cards-show (event)
  "Show EVENT."
  (cl-flet ((get (key) (plist-get event key)))
    (pcase (get :kind)
      ("turnStarted" (pollux-cards--said (get :prompt) "" (get :turn)))
      ("promptSteered" (pollux-cards--said (get :text) "→ "))
      ("text" (pollux-transcript-stream 'text (get :text)))
      ("thought"
       (pollux-cards-card
        "▸" (pollux-words-line (if (equal (get :subject) "") (get :description) (get :subject)) 160)
        :detail (lambda (_) (pollux-words-lines (get :description)))))
      ("citation"
       (pollux-cards-card "↗" (concat (and (get :title) (concat (get :title) "  ")) (get :uri))
                          :act (lambda () (browse-url (get :uri)))))
      ("requestRetried"
       (pollux-cards-card "↻" (format "Attempt %d of %d failed: %s" (get :attempt) (get :attempts)
                                      (pollux-words-line (get :reason)))))
      ("modelChanged"
       (pollux-cards-card "↻" (format "%s instead of %s: %s" (get :to) (get :from)
                                      (pollux-words-line (get :reason)))))
      ("historyCompressed" (pollux-cards--compressed event))
      ("answerDiscarded"
       (pollux-cards-card "–" (concat "That answer does not count, the model is asked again: "
                                      (pollux-words-line (get :reason)))))
      ("toolStarted" (pollux-cards--started event))
      ("toolPrinted"
       (let ((card (pollux-cards--call event)))
         (when card (pollux-cards--printed card (get :text)))))
      ("toolProgress"
       (let ((card (pollux-cards--call event)))
         (when card (pollux-cards--progress card event))))
      ("toolEnded"
       (let ((card (pollux-cards--call event)))
         (when card (pollux-cards--ended card event))))
      ("editMade" (pollux-cards--edited event))
      ("editProposed" (pollux-cards--edited event) (pollux-cards--ask event))
      ("editDecided" (pollux-cards--decided event))
      ("editContested" (pollux-cards--contested event))
      ("hunksDecided" (pollux-cards--settled event))
      ("approvalRequested" (pollux-cards--ask event))
      ("approvalEnded" (pollux-cards--settle (get :approval) (get :answer)))
      ("approvalNotRemembered"
       (pollux-cards-card "–" (concat "Allowed for this once only: "
                                      (pollux-words-line (get :reason)))))
      ("deleted"
       (pollux-cards-note "This session was deleted in another window. Start a new one to go on."))
      ("hookSaid" (pollux-cards-note (get :message)))
      ("commandAnswered" (pollux-cards-note (get :text)))
      ("refused" (pollux-cards-note (concat "✗ " (get :reason))))
      ("rewound"
       (pollux-transcript-cut (text-property-any (point-min) (point-max) 'pollux-turn (get :turn)))
       (pollux-cards-forget))
      ("turnEnded" (pollux-cards--turn-ended event)))))

(defun pollux-cards-forget ()
  "Nothing of what was shown is there any more."
  (setq pollux-cards--calls nil pollux-cards--edits nil
        pollux-cards-questions nil pollux-cards--blocks nil pollux-cards--conflicts nil))

(provide 'pollux-cards)
;;; pollux-cards.el ends here
