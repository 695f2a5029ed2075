;;; pollux-chat.el --- The chat with Pollux  -*- lexical-binding: t; -*-

;; SPDX-License-Identifier: Apache-2.0

;;; Commentary:

;; Shows a session: one function for each kind of event.  Only what a person
;; does opens a window or moves a cursor.

;;; Code:

(require 'cl-lib)
(require 'ring)
(require 'pollux-buffers)
(require 'pollux-questions)
(require 'pollux-session)
(require 'pollux-transcript)
(require 'pollux-words)

(defcustom pollux-chat-display-action
  '((display-buffer-reuse-window display-buffer-in-side-window)
    (side . right)
    (window-width . 0.4))
  "Where the chat is shown, as an action for `display-buffer'."
  :type 'sexp
  :group 'pollux)

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

(defconst pollux-chat--name "*pollux*")
(defconst pollux-chat--kept-characters (* 256 1024) "Of what a command prints, this much is kept.")
(defconst pollux-chat--shown-running 5 "Lines of output that are shown while a command runs.")
(defconst pollux-chat--shown-open 60 "Lines of output that are shown when it is unfolded.")
(defconst pollux-chat--seen-seconds 0.4
  "A key that comes sooner was meant for something else than this question.")

(defvar-local pollux-chat--calls nil "Cards of this turn by call.")
(defvar-local pollux-chat--edits nil "Cards of this turn by proposal.")
(defvar-local pollux-chat--questions nil "Blocks of open questions by number.")
(defvar-local pollux-chat--blocks nil "Blocks of this turn.")
(defvar-local pollux-chat--recalled nil "Which earlier prompt is shown.")
(defvar pollux-chat--timer nil "Counts the seconds of the activity line.")
(defvar pollux-chat--history (make-ring 100) "Earlier prompts.")

(defun pollux-chat-buffer ()
  "The buffer of the chat, if there is one."
  (get-buffer pollux-chat--name))

;;; Cards

(defun pollux-chat--icon-face (icon)
  "The face of ICON."
  (pcase icon
    ("✓" 'pollux-ok)
    ((or "✗" "✕") 'pollux-failed)
    (_ 'pollux-dim)))

(defun pollux-chat--clean (line)
  "LINE without what only a terminal understands."
  (replace-regexp-in-string
   "\\`.*\r" "" (replace-regexp-in-string "\e\\[[0-9;?]*[A-Za-z]" "" line)))

(defun pollux-chat--folded (line)
  "LINE of what a card unfolds."
  (let* ((text (pollux-chat--clean line))
         (face (cond ((string-prefix-p "+ " text) 'diff-added)
                     ((string-prefix-p "- " text) 'diff-removed)
                     (t 'pollux-dim))))
    (concat "\n" (propertize "  │ " 'font-lock-face 'pollux-dim)
            (propertize text 'font-lock-face face 'wrap-prefix "  │ "))))

(defun pollux-chat--last-printed (block)
  "The last lines that the command of BLOCK printed, without going through all of it."
  (let ((text "") (pieces (pollux-block-printed block)))
    (while (and pieces (< (length text) 2048)) (setq text (concat (pop pieces) text)))
    (last (pollux-words-lines text) pollux-chat--shown-running)))

(defun pollux-chat--draw-card (block)
  "The text of the card BLOCK."
  (let* ((icon (pollux-block-icon block))
         (head (concat (propertize icon 'font-lock-face (pollux-chat--icon-face icon))
                       " " (pollux-block-title block)
                       (if (pollux-block-suffix block)
                           (propertize (concat "  " (pollux-block-suffix block))
                                       'font-lock-face 'pollux-dim)
                         "")))
         (detail (cond ((pollux-block-open block) (funcall (pollux-block-detail block) block))
                       ((and (equal icon "○") (pollux-block-printed block))
                        (pollux-chat--last-printed block))))
         (hidden (- (length detail) pollux-chat--shown-open)))
    (concat (propertize head 'wrap-prefix "  ")
            (and (> hidden 0)
                 (pollux-chat--folded (format "… %d lines before: o opens all" hidden)))
            (mapconcat #'pollux-chat--folded (if (> hidden 0) (nthcdr hidden detail) detail) ""))))

(defun pollux-chat--card (icon title &rest more)
  "Append a card with ICON and TITLE; MORE are further slots."
  (let ((block (apply #'pollux-block-make :icon icon :title title
                      :draw #'pollux-chat--draw-card more)))
    (push block pollux-chat--blocks)
    (pollux-transcript-add-block 'card block)))

(defun pollux-chat--note (text)
  "Append TEXT by itself."
  (pollux-transcript-add 'note text 'font-lock-face 'pollux-dim))

(defun pollux-chat--output (block)
  "All lines of what BLOCK did."
  (append (pollux-words-lines (string-join (reverse (pollux-block-printed block))))
          (if (pollux-block-edit block)
              (pollux-words-diff (pollux-block-edit block))
            (pollux-words-lines (or (pollux-block-message block) "")))))

(defun pollux-chat--call (event)
  "The card of the call that EVENT names."
  (cdr (assoc (plist-get event :call) pollux-chat--calls)))

;;; Questions

(defun pollux-chat--draw-question (block)
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

(defun pollux-chat--mark-buttons (block)
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

(defun pollux-chat--ask (event)
  "Show the question EVENT."
  (let ((block (pollux-transcript-add-block
                'question
                (pollux-block-make :question event :born (float-time)
                                   :draw #'pollux-chat--draw-question))))
    (push block pollux-chat--blocks)
    (pollux-chat--mark-buttons block)
    (push (cons (pollux-session-number event) block) pollux-chat--questions)))

(defun pollux-chat--settle (number answer)
  "The question NUMBER has got ANSWER."
  (let* ((block (alist-get number pollux-chat--questions))
         (line (and block (pollux-words-answered (pollux-block-question block) answer))))
    (when block
      (setf (alist-get number pollux-chat--questions nil 'remove) nil
            (pollux-block-question block) nil
            (pollux-block-icon block) (substring line 0 1)
            (pollux-block-title block) (substring line 2)
            (pollux-block-draw block) #'pollux-chat--draw-card)
      (pollux-transcript-redraw block))))

;;; Events

(defun pollux-chat--edited (event)
  "Show on its card that EVENT edits a file."
  (let ((card (or (pollux-chat--call event)
                  (let ((new (pollux-chat--card "○" (concat "Edit " (plist-get event :path))
                                                :started (float-time)
                                                :detail #'pollux-chat--output)))
                    (push (cons (plist-get event :call) new) pollux-chat--calls)
                    new))))
    (setf (pollux-block-edit card) event
          (pollux-block-suffix card) (pollux-words-edit event))
    (push (cons (plist-get event :proposal) card) pollux-chat--edits)
    (pollux-transcript-redraw card)))

(defun pollux-chat--ended (card event)
  "The call of CARD has ended with EVENT."
  (let ((status (plist-get event :status))
        (seconds (- (float-time) (pollux-block-started card)))
        (session pollux-session-current))
    (setf (pollux-block-icon card)
          (pcase status ("succeeded" "✓") ("failed" "✗") ("cancelled" "–") (_ "·"))
          (pollux-block-message card) (plist-get event :message)
          (pollux-block-suffix card)
          (let ((parts (delq nil
                             (list (cond ((pollux-block-edit card) (pollux-block-suffix card))
                                         ;; How long a replayed call took is not known.
                                         ((and session (pollux-session-live session)
                                               (>= seconds 1))
                                          (format "%.1f s" seconds)))
                                   (and (equal status "failed")
                                        (pollux-words-line (plist-get event :message) 120))))))
            (and parts (string-join parts "  "))))
    (pollux-transcript-redraw card)))

(defun pollux-chat--progress (card event)
  "The call of CARD goes on, as EVENT says."
  (let ((total (plist-get event :total)))
    (setf (pollux-block-suffix card)
          (string-trim (concat (or (plist-get event :message) "")
                               (and (numberp total) (> total 0)
                                    (format " %d %%" (/ (* 100 (plist-get event :done)) total))))))
    (pollux-transcript-redraw card)))

(defun pollux-chat--printed (card text)
  "The command of CARD has printed TEXT."
  (push text (pollux-block-printed card))
  (cl-incf (pollux-block-size card) (length text))
  (when (> (pollux-block-size card) (* 2 pollux-chat--kept-characters))
    (let ((all (string-join (reverse (pollux-block-printed card)))))
      (setf (pollux-block-printed card)
            (list (substring all (- (length all) pollux-chat--kept-characters)))
            (pollux-block-size card) pollux-chat--kept-characters)))
  (pollux-transcript-redraw card))

(defun pollux-chat--said (text mark)
  "Show that the person said TEXT; MARK stands before its first line."
  (let ((margin (concat "▌ " (make-string (length mark) ?\s))))
    (pollux-transcript-add 'prompt
                           (concat "▌ " mark
                                   (string-join (or (pollux-words-lines text) '(""))
                                                (concat "\n" margin)))
                           'font-lock-face 'pollux-prompt 'wrap-prefix margin
                           'pollux-prompt t)))

(defun pollux-chat--turn-ended (event)
  "A turn has ended with EVENT: nothing of it changes any more."
  (dolist (question pollux-chat--questions) (pollux-chat--settle (car question) nil))
  (let ((lines (pollux-words-ending event)))
    (when lines (pollux-chat--note (string-join lines "\n"))))
  (mapc #'pollux-transcript-release pollux-chat--blocks)
  (setq pollux-chat--blocks nil
        pollux-chat--calls nil
        pollux-chat--edits nil))

(defun pollux-chat--compressed (event)
  "The conversation was made shorter, as EVENT says."
  (let ((status (plist-get event :status)))
    (unless (equal status "NOOP")
      (pollux-chat--card
       "↧" (if (string-prefix-p "FAILED" status)
               "The conversation could not be made shorter"
             (format "The conversation was made shorter: %s tokens, before %s"
                     (pollux-words-tokens (plist-get event :after))
                     (pollux-words-tokens (plist-get event :before))))))))

(defun pollux-chat--decided (event)
  "Somebody has decided about an edit, as EVENT says."
  (let ((card (alist-get (plist-get event :proposal) pollux-chat--edits))
        (question (alist-get (plist-get event :proposal) pollux-chat--questions)))
    (when card
      (setf (pollux-block-suffix card)
            (pollux-words-edit (pollux-block-edit card) (plist-get event :decisions)))
      (pollux-transcript-redraw card))
    ;; The card says it all: the question goes.
    (when (and card question)
      (setf (alist-get (plist-get event :proposal) pollux-chat--questions nil 'remove) nil)
      (setq pollux-chat--blocks (delq question pollux-chat--blocks))
      (pollux-transcript-remove question))))

(defun pollux-chat--show (event)
  "Show EVENT."
  (cl-flet ((get (key) (plist-get event key)))
    (pcase (get :kind)
      ("turnStarted" (pollux-chat--said (get :prompt) ""))
      ("promptSteered" (pollux-chat--said (get :text) "→ "))
      ("text" (pollux-transcript-stream 'text (get :text)))
      ("thought"
       (pollux-chat--card
        "▸" (pollux-words-line (if (equal (get :subject) "") (get :description) (get :subject)) 160)
        :detail (lambda (_) (pollux-words-lines (get :description)))))
      ("citation"
       (pollux-chat--card "↗" (concat (and (get :title) (concat (get :title) "  ")) (get :uri))
                          :act (lambda () (browse-url (get :uri)))))
      ("requestRetried"
       (pollux-chat--card "↻" (format "Trying again in %.1f s, %d of %d: %s"
                                      (/ (get :delayMs) 1000.0) (get :attempt) (get :attempts)
                                      (pollux-words-line (get :reason)))))
      ("modelChanged"
       (pollux-chat--card "↻" (format "%s instead of %s: %s" (get :to) (get :from)
                                      (pollux-words-line (get :reason)))))
      ("historyCompressed" (pollux-chat--compressed event))
      ("answerDiscarded"
       (pollux-chat--card "–" (concat "That answer does not count, the model is asked again: "
                                      (pollux-words-line (get :reason)))))
      ("toolStarted"
       (push (cons (get :call)
                   (pollux-chat--card "○" (pollux-words-line (get :title) 160)
                                      :started (float-time) :detail #'pollux-chat--output))
             pollux-chat--calls))
      ("toolPrinted"
       (let ((card (pollux-chat--call event)))
         (when card (pollux-chat--printed card (get :text)))))
      ("toolProgress"
       (let ((card (pollux-chat--call event)))
         (when card (pollux-chat--progress card event))))
      ("toolEnded"
       (let ((card (pollux-chat--call event)))
         (when card (pollux-chat--ended card event))))
      ("editMade" (pollux-chat--edited event))
      ("editProposed" (pollux-chat--edited event) (pollux-chat--ask event))
      ("editDecided" (pollux-chat--decided event))
      ("approvalRequested" (pollux-chat--ask event))
      ("approvalEnded" (pollux-chat--settle (get :approval) (get :answer)))
      ("approvalNotRemembered"
       (pollux-chat--card "–" (concat "Allowed for this once only: "
                                      (pollux-words-line (get :reason)))))
      ("hookSaid" (pollux-chat--note (get :message)))
      ("refused" (pollux-chat--note (concat "✗ " (get :reason))))
      ("turnEnded" (pollux-chat--turn-ended event)))))

;;; The view of a session

(defvar pollux-chat--batch nil
  "Events of the message that is being read, the latest first.")

(defun pollux-chat--joined (events)
  "EVENTS, with what a command prints in one go as one."
  (let (joined)
    (dolist (event events)
      (let ((last (car joined)))
        (if (and last
                 (equal (plist-get event :kind) "toolPrinted")
                 (equal (plist-get last :kind) "toolPrinted")
                 (equal (plist-get event :call) (plist-get last :call)))
            (setcar joined (list :kind "toolPrinted" :call (plist-get event :call)
                                 :text (concat (plist-get last :text) (plist-get event :text))))
          (push event joined))))
    (nreverse joined)))

(defun pollux-chat--event (event session)
  "Hear EVENT of SESSION."
  (push event pollux-chat--batch)
  (when (and (pollux-session-live session)
             (not (get-buffer-window pollux-chat--name 'visible)))
    (pcase (plist-get event :kind)
      ("approvalRequested"
       (pollux-say "asks: %s  (M-x pollux-approve, pollux-deny)"
                   (pollux-words-line (plist-get event :title))))
      ("editProposed"
       (pollux-say "asks to edit %s  (M-x pollux-approve, pollux-deny)" (plist-get event :path))))))

(defun pollux-chat--tail (session)
  "The lines below the page: steps, prompts that wait, and what happens now in SESSION."
  (let* ((window (get-buffer-window nil t))
         (width (if (and window (not noninteractive)) (window-body-width window) 80))
         (open (cl-remove-if (lambda (todo) (member (plist-get todo :status)
                                                    '("completed" "cancelled")))
                             (pollux-session-todos session)))
         (running (pollux-session-turn session))
         (waits (pollux-session-questions session))
         (seconds (floor (- (float-time) (or (pollux-session-since session) (float-time))))))
    (append
     (when (or running open)
       (pollux-words-todos (pollux-session-todos session) width))
     (mapcar (lambda (prompt)
               (propertize (concat "⧗ " (pollux-words-line (cdr prompt) (max 20 (- width 4))))
                           'pollux-queued (car prompt) 'font-lock-face 'pollux-dim))
             (pollux-session-queue session))
     (when running
       (list (propertize
              (if waits
                  "∙ waiting for your answer"
                (concat "∙ " (pollux-words-line (or (pollux-session-activity session) "thinking")
                                                (max 20 (- width 12)))
                        (and (> seconds 0) (format " · %d s" seconds))))
              'font-lock-face (if waits 'pollux-ask 'pollux-dim)))))))

(defun pollux-chat--tick (session)
  "Count seconds while SESSION has a turn, and only then."
  (cond ((and (pollux-session-turn session) (not pollux-chat--timer))
         (setq pollux-chat--timer
               (run-with-timer 1 1 (lambda ()
                                     (when (and pollux-session-current (pollux-chat-buffer))
                                       (with-current-buffer (pollux-chat-buffer)
                                         (pollux-transcript-set-tail
                                          (pollux-chat--tail pollux-session-current))))))))
        ((not (pollux-session-turn session)) (pollux-chat--stop-timer))))

(defun pollux-chat--stop-timer ()
  "Count no more."
  (when pollux-chat--timer
    (cancel-timer pollux-chat--timer)
    (setq pollux-chat--timer nil)))

(defun pollux-chat--settled (session)
  "Show what was heard of SESSION."
  (let ((events (pollux-chat--joined (reverse pollux-chat--batch))))
    (setq pollux-chat--batch nil)
    (when (and (pollux-session-live session)
               (cl-find "toolEnded" events :test #'equal
                        :key (lambda (event) (plist-get event :kind))))
      (pollux-buffers-reload (pollux-session-server session)))
    (when (pollux-chat-buffer)
      (with-current-buffer (pollux-chat-buffer)
        (pollux-transcript-writing
          (mapc #'pollux-chat--show events))
        (pollux-transcript-set-tail (pollux-chat--tail session))
        (force-mode-line-update)))
    (pollux-chat--tick session)))

(defun pollux-chat--welcome ()
  "What an empty chat says."
  (pollux-transcript-writing
    (pollux-chat--note
     "Write below and press RET. Pollux sees the files you have open, as they are on the screen.
It asks before it runs or changes anything, and every edit can be kept or rejected."))
  (let ((buffer (current-buffer)))
    (pollux-session-list
     (lambda (sessions)
       (when (and sessions (not pollux-session-current) (buffer-live-p buffer))
         (with-current-buffer buffer
           (pollux-transcript-writing
             (pollux-chat--note "Before:")
             (setq pollux-transcript--kind 'card)
             (dolist (line (seq-take sessions 5))
               (let ((id (plist-get line :session)))
                 (pollux-chat--card "›" (pollux-words-line (plist-get line :title))
                                    :suffix (pollux-words-ago (plist-get line :updated))
                                    :act (lambda () (pollux-session-resume id))))))))))))

(defun pollux-chat--reset ()
  "Begin anew: another session is shown, or none."
  (setq pollux-chat--batch nil)
  (pollux-chat--stop-timer)
  (when (pollux-chat-buffer)
    (with-current-buffer (pollux-chat-buffer)
      (mapc #'pollux-transcript-release pollux-chat--blocks)
      (setq pollux-chat--calls nil pollux-chat--edits nil
            pollux-chat--questions nil pollux-chat--blocks nil)
      (pollux-transcript-clear)
      (pollux-transcript-set-tail nil)
      (unless pollux-session-current (pollux-chat--welcome)))))

(add-hook 'pollux-session-event-functions #'pollux-chat--event)
(add-hook 'pollux-session-settled-functions #'pollux-chat--settled)
(add-hook 'pollux-session-reset-hook #'pollux-chat--reset)

;;; What the person does in the chat

(defun pollux-chat--block ()
  "The block at point."
  (get-text-property (point) 'pollux-block))

(defun pollux-chat-toggle ()
  "Unfold or fold what point is on."
  (interactive)
  (let ((block (pollux-chat--block)))
    (if (not (and block (pollux-block-detail block)
                  (or (pollux-block-open block) (funcall (pollux-block-detail block) block))))
        (pollux-say "nothing to unfold here")
      (setf (pollux-block-open block) (not (pollux-block-open block)))
      (let ((start (car (pollux-transcript--extent block))))
        (pollux-transcript-writing (pollux-transcript-redraw block))
        (goto-char start)))))

(defun pollux-chat--answer (key block)
  "Answer the question of BLOCK with KEY."
  (let ((question (pollux-block-question block)))
    (cond ((not (assoc key (pollux-words-keys question)))
           (pollux-say "%s is no answer here" key))
          ((< (- (float-time) (pollux-block-born block)) pollux-chat--seen-seconds)
           (pollux-say "this question has just come: look first"))
          (t (pollux-questions-press key question)))))

(defun pollux-chat-press ()
  "Answer the question at point with the key that was pressed."
  (interactive)
  (pollux-chat--answer (this-command-keys) (pollux-chat--block)))

(defun pollux-chat-act ()
  "Do what point is on: press, answer yes, open, unfold."
  (interactive)
  (let ((block (pollux-chat--block)))
    (cond ((null block) (goto-char (point-max)))
          ((pollux-block-question block)
           (pollux-chat--answer (or (get-text-property (point) 'pollux-key) "y") block))
          ((pollux-block-act block) (funcall (pollux-block-act block)))
          (t (pollux-chat-toggle)))))

(defun pollux-chat-click (event)
  "Do what was clicked on with EVENT."
  (interactive "e")
  (mouse-set-point event)
  (pollux-chat-act))

(defun pollux-chat-visit ()
  "Go to the file that the card at point has edited."
  (interactive)
  (let* ((block (pollux-chat--block))
         (edit (and block (or (pollux-block-edit block) (pollux-block-question block)))))
    (if (not (plist-get edit :path))
        (pollux-say "no file here")
      (let ((hunks (plist-get edit :hunks)))
        (find-file-other-window
         (expand-file-name (plist-get edit :path)
                           (pollux-server-root (pollux-session-server pollux-session-current))))
        (goto-char (point-min))
        (when (> (length hunks) 0) (forward-line (plist-get (elt hunks 0) :line)))))))

(defun pollux-chat-open-output ()
  "Show all of what the card at point did in a buffer."
  (interactive)
  (let* ((block (pollux-chat--block))
         (detail (and block (pollux-block-detail block))))
    (if (not detail)
        (pollux-say "nothing to open here")
      (let ((lines (funcall detail block)) (edit (pollux-block-edit block)))
        (with-current-buffer (get-buffer-create "*pollux output*")
          (let ((inhibit-read-only t))
            (erase-buffer)
            (insert (mapconcat #'pollux-chat--clean lines "\n") "\n")
            (goto-char (point-min)))
          (if edit (diff-mode) (special-mode))
          (setq buffer-read-only t)
          (pop-to-buffer (current-buffer)))))))

(defun pollux-chat-unqueue ()
  "Take back the prompt that waits at point."
  (interactive)
  (let ((id (get-text-property (point) 'pollux-queued)))
    (if id (pollux-session-unqueue id) (pollux-say "no prompt waits here"))))

(defun pollux-chat-go-to-question ()
  "Go to the question that has waited longest."
  (interactive)
  (let* ((question (or (pollux-questions-oldest) (user-error "Pollux: nothing waits for an answer")))
         (buffer (pollux-chat-open)))
    (select-window (get-buffer-window buffer t))
    (let ((block (alist-get (pollux-session-number question) pollux-chat--questions)))
      (when block (goto-char (pollux-block-start block))))))

(defun pollux-chat-next-prompt (&optional backward)
  "Go to the next prompt, or with BACKWARD to the one before."
  (interactive)
  (let ((found (save-excursion
                 (if backward
                     (text-property-search-backward 'pollux-prompt t t)
                   (text-property-search-forward 'pollux-prompt t t t)))))
    (when found (goto-char (prop-match-beginning found)))))

(defun pollux-chat-previous-prompt ()
  "Go to the prompt before."
  (interactive)
  (pollux-chat-next-prompt 'backward))

(defun pollux-chat--send (how)
  "Send what is written with the function HOW."
  (let ((text (string-trim (pollux-transcript-input))))
    (unless (string= text "")
      (pollux-transcript-set-input "")
      (unless (and (not (ring-empty-p pollux-chat--history))
                   (equal text (ring-ref pollux-chat--history 0)))
        (ring-insert pollux-chat--history text))
      (setq pollux-chat--recalled nil)
      (funcall how text))))

(defun pollux-chat-queue ()
  "Send what is written; while a turn runs it waits."
  (interactive)
  (pollux-chat--send #'pollux-session-queue-prompt))

(defun pollux-chat-steer ()
  "Say what is written into the running turn."
  (interactive)
  (pollux-chat--send #'pollux-session-steer))

(defun pollux-chat-recall (&optional step)
  "Write the prompt that was sent before; STEP says how much earlier."
  (interactive)
  (unless (ring-empty-p pollux-chat--history)
    (let ((place (+ (or pollux-chat--recalled -1) (or step 1))))
      (cond ((< place 0)
             (setq pollux-chat--recalled nil)
             (pollux-transcript-set-input ""))
            ((< place (ring-length pollux-chat--history))
             (setq pollux-chat--recalled place)
             (pollux-transcript-set-input (ring-ref pollux-chat--history place)))))))

(defun pollux-chat-recall-later ()
  "Write the prompt that was sent after the one that is shown."
  (interactive)
  (pollux-chat-recall -1))

(defun pollux-chat-write (text)
  "Put TEXT there to be changed and sent, unless something is being written."
  (when (pollux-chat-buffer)
    (with-current-buffer (pollux-chat-buffer)
      (when (string= (pollux-transcript-input) "") (pollux-transcript-set-input text)))))

;;; The mode

(let ((map pollux-transcript-map))
  (define-key map (kbd "TAB") #'pollux-chat-toggle)
  (define-key map (kbd "RET") #'pollux-chat-act)
  (define-key map [mouse-2] #'pollux-chat-click)
  (define-key map "o" #'pollux-chat-open-output)
  (define-key map "v" #'pollux-chat-visit)
  (define-key map "x" #'pollux-chat-unqueue)
  (define-key map "q" #'quit-window))

(dolist (key '("y" "s" "w" "A" "n" "r"))
  (define-key pollux-transcript-question-map key #'pollux-chat-press))

(defvar pollux-chat-mode-map
  (let ((map (make-sparse-keymap)))
    (define-key map (kbd "RET") #'pollux-chat-queue)
    (define-key map (kbd "C-j") #'newline)
    (define-key map (kbd "S-<return>") #'newline)
    (define-key map (kbd "C-<return>") #'pollux-chat-steer)
    (define-key map (kbd "C-c C-s") #'pollux-chat-steer)
    (define-key map (kbd "C-c C-k") #'pollux-stop)
    (define-key map (kbd "C-c C-y") #'pollux-approve)
    (define-key map (kbd "C-c C-n") #'pollux-deny)
    (define-key map (kbd "C-c C-q") #'pollux-chat-go-to-question)
    (define-key map (kbd "C-c C-r") #'pollux-retry)
    (define-key map (kbd "C-c C-m") #'pollux-set-mode)
    (define-key map (kbd "C-M-n") #'pollux-chat-next-prompt)
    (define-key map (kbd "C-M-p") #'pollux-chat-previous-prompt)
    (define-key map (kbd "M-p") #'pollux-chat-recall)
    (define-key map (kbd "M-n") #'pollux-chat-recall-later)
    map)
  "Keys of the chat.")

(defconst pollux-chat--keywords
  '(("^```\\(?:.\\|\n\\)*?\n```$" 0 'pollux-code t)
    ("^#+ .*$" . 'bold)
    ("\\*\\*\\([^*\n]+\\)\\*\\*" 1 'bold append)
    ("`\\([^`\n]+\\)`" 1 'pollux-code))
  "How answers look: Markdown, as far as a glance needs it.")

(defun pollux-chat--header ()
  "The line above the chat."
  (let* ((session pollux-session-current)
         (right (and session
                     (string-join
                      (delq nil
                            (list (and (pollux-session-questions session)
                                       (propertize "asks" 'face 'pollux-ask))
                                  (and (pollux-session-turn session) "running")
                                  (pollux-session-model session)
                                  (pollux-session-mode session)
                                  (and (pollux-session-tokens session)
                                       (> (pollux-session-tokens session) 0)
                                       (pollux-words-tokens (pollux-session-tokens session)))))
                      " · ")))
         (title (or (and session (pollux-session-title session)) "New session"))
         (room (max 10 (- (window-width) (string-width (or right "")) 4))))
    (list (propertize (string-replace "%" "%%" (concat " " (pollux-words-line title room)))
                      'face 'bold)
          (propertize " " 'display `(space :align-to (- right ,(1+ (string-width (or right ""))))))
          (string-replace "%" "%%" (or right "")))))

(defun pollux-chat--footer ()
  "The line below the chat: what the keys do now."
  (let ((session pollux-session-current))
    (cond ((and session (pollux-session-questions session))
           (concat (propertize " Pollux asks" 'face 'pollux-ask)
                   " · C-c C-y yes · C-c C-n no · C-c C-q go to the question"))
          ((and session (pollux-session-turn session))
           " RET queue · C-c C-s steer · C-c C-k stop")
          (t " RET send · C-j new line · M-p earlier"))))

(define-derived-mode pollux-chat-mode nil "Pollux"
  "Mode of the chat with Pollux.

\\{pollux-chat-mode-map}"
  (setq-local truncate-lines nil
              word-wrap t
              font-lock-multiline t
              font-lock-defaults '(pollux-chat--keywords t)
              ;; The prompt's sign is no part of the line that is written.
              inhibit-field-text-motion nil
              header-line-format '(:eval (pollux-chat--header))
              mode-line-format '(:eval (pollux-chat--footer)))
  (setq indent-tabs-mode nil)
  (pollux-transcript-clear)
  (pollux-transcript-set-tail nil))

(defun pollux-chat-open ()
  "Show the chat without going there, and return its buffer."
  (let ((buffer (or (pollux-chat-buffer)
                    (let ((server (pollux-server-current))
                          (new (get-buffer-create pollux-chat--name)))
                      (with-current-buffer new
                        (setq default-directory
                              (file-name-as-directory (pollux-server-root server)))
                        (pollux-chat-mode)
                        (if pollux-session-current
                            (pollux-session-replay)
                          (pollux-chat--welcome))
                        (goto-char (point-max)))
                      new))))
    (save-selected-window (display-buffer buffer pollux-chat-display-action))
    buffer))

(provide 'pollux-chat)
;;; pollux-chat.el ends here
