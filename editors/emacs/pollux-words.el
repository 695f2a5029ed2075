;;; pollux-words.el --- What the Pollux chat says  -*- lexical-binding: t; -*-

;; SPDX-License-Identifier: Apache-2.0

;;; Commentary:

;; The lines of questions, edits, steps and endings.  Text only: where they
;; stand and what they look like is decided in `pollux-chat.el'.

;;; Code:

(require 'cl-lib)
(require 'subr-x)

(defun pollux-words-line (text &optional longest)
  "TEXT in one line of at most LONGEST characters."
  (let ((line (replace-regexp-in-string "[ \t]*\n\\(?:.\\|\n\\)*\\'" " …" text)))
    (if (and longest (> (length line) longest))
        (concat (substring line 0 (1- longest)) "…")
      line)))

(defun pollux-words-lines (text)
  "The lines of TEXT; the end of the last one begins no other."
  (if (string= text "")
      nil
    (mapcar (lambda (line) (string-remove-suffix "\r" line))
            (split-string (string-remove-suffix "\n" text) "\n"))))

(defun pollux-words-edit (edit &optional decisions)
  "How much EDIT changes, and a mark for every hunk by DECISIONS."
  (let ((added 0) (removed 0) (place -1) marks)
    (mapc (lambda (hunk)
            (cl-incf place)
            (cl-incf added (length (pollux-words-lines (plist-get hunk :added))))
            (cl-incf removed (length (pollux-words-lines (plist-get hunk :removed))))
            (push (pcase (and decisions (< place (length decisions)) (elt decisions place))
                    ("keep" "✓")
                    ("reject" "✕")
                    (_ "●"))
                  marks))
          (plist-get edit :hunks))
    ;; Beyond a handful nobody counts dots.
    (format "+%d −%d  %s" added removed
            (if (<= (length marks) 12)
                (string-join (nreverse marks))
              (format "%d hunks" (length marks))))))

(defun pollux-words--indentation (lines)
  "How far all LINES are indented: in a narrow window that is room for nothing."
  (apply #'min 200 (mapcar (lambda (line) (string-match-p "[^ \t]\\|\\'" line))
                           (or (remove "" lines) '("")))))

(defun pollux-words-diff (edit)
  "The lines of EDIT as a diff."
  (cl-mapcan (lambda (hunk)
               (let* ((removed (pollux-words-lines (plist-get hunk :removed)))
                      (added (pollux-words-lines (plist-get hunk :added)))
                      (from (pollux-words--indentation (append removed added)))
                      (cut (lambda (sign)
                             (lambda (line) (concat sign (substring line (min from (length line))))))))
                 (append (list (format "@@ line %d" (1+ (plist-get hunk :line))))
                         (mapcar (funcall cut "- ") removed)
                         (mapcar (funcall cut "+ ") added))))
             (append (plist-get edit :hunks) nil)))

(defun pollux-words-offer (question scope)
  "The place of the narrowest offer in QUESTION that can be given in SCOPE."
  (cl-position-if (lambda (offer) (seq-contains-p (plist-get offer :scopes) scope))
                  (plist-get question :offers)))

(defun pollux-words-keys (question)
  "The keys that answer QUESTION and what they say, in the order they are shown."
  (pcase (plist-get (plist-get question :subject) :kind)
    ((guard (plist-get question :proposal))
     '(("y" . "keep") ("s" . "keep all edits of this session")
       ("n" . "reject") ("r" . "reject with a reason")))
    ("questions" '(("y" . "answer") ("n" . "leave it")))
    ("enterPlan" '(("y" . "plan first") ("n" . "no")))
    ("stuck" '(("y" . "go on") ("n" . "stop") ("r" . "say what to do instead")))
    ("plan" '(("y" . "carry it out") ("s" . "and edit without asking")
              ("n" . "go on planning") ("r" . "say what to change")))
    (_ (append '(("y" . "once"))
               (and (pollux-words-offer question "session") '(("s" . "session")))
               (and (pollux-words-offer question "workspace") '(("w" . "workspace")))
               (and (pollux-words-offer question "user") '(("A" . "always")))
               '(("n" . "reject") ("r" . "reject with a reason"))))))

(defun pollux-words--asked (subject)
  "The lines of one question that SUBJECT asks a person."
  (append (pollux-words-lines
           (concat (plist-get subject :text)
                   (if (eq (plist-get subject :optional) t) " (optional)" "")))
          (mapcar (lambda (option)
                    (let ((about (plist-get option :description)))
                      (concat "  · " (plist-get option :label)
                              (if (member about '(nil "")) "" (concat ": " about)))))
                  (plist-get (plist-get subject :answer) :options))))

(defun pollux-words--subject (question)
  "The lines that say exactly what QUESTION is about."
  (let* ((subject (plist-get question :subject))
         (title (pollux-words-line (plist-get question :title))))
    (cl-flet ((get (key) (plist-get subject key)))
      (pcase (get :kind)
        ("command"
         (let ((lines (pollux-words-lines (get :command))))
           (append (list (concat "Run  " (car lines)))
                   (mapcar (apply-partially #'concat "     ") (cdr lines))
                   (list (concat "in " (abbreviate-file-name (get :folder))))
                   (mapcar (apply-partially #'concat "⚠ ") (get :cautions)))))
        ("fetch" (cons (concat "Fetch with " (get :method)) (append (get :urls) nil)))
        ("questions"
         (cons "A question" (cl-mapcan #'pollux-words--asked (append (get :questions) nil))))
        ("enterPlan" (list "Plan first?" (get :reason)))
        ("plan" (cons (concat "The plan is ready: " (get :path))
                      (pollux-words-lines (get :text))))
        ("stuck" (cons (format "%s failed %d times" title (get :times))
                       (pollux-words-lines (get :error))))
        (_ (cons title (pollux-words-lines (or (get :arguments) ""))))))))

(defun pollux-words-question (question)
  "The lines of QUESTION without its keys: what would happen, and why it asks."
  (if (plist-get question :proposal)
      (cons (format "Edit  %s  %s" (plist-get question :path) (pollux-words-edit question))
            (pollux-words-diff question))
    (append (pollux-words--subject question)
            (unless (member (plist-get question :reason) '(nil ""))
              (list (concat "asks: " (pollux-words-line (plist-get question :reason))))))))

(defun pollux-words-answered (question answer)
  "What remains of QUESTION once it has ANSWER."
  (let ((subject (pollux-words-line (if (plist-get question :path)
                                        (concat "Edit " (plist-get question :path))
                                      (plist-get question :title))
                                    100)))
    (pcase (plist-get answer :kind)
      ('nil (concat "– Not answered: " subject))
      ("deny" (let ((feedback (plist-get answer :feedback)))
                (concat "✗ Rejected: " subject
                        (if (member feedback '(nil "")) ""
                          (pollux-words-line (concat ": " feedback))))))
      ("always" (format "✓ Allowed %s: %s"
                        (pcase (plist-get answer :scope)
                          ("session" "for this session")
                          ("workspace" "in this workspace")
                          (_ "always"))
                        subject))
      ("replies"
       (concat "✓ Answered: "
               (pollux-words-line
                (string-join (cl-loop for (_ reply) on (plist-get answer :replies) by #'cddr
                                      collect (if (stringp reply) reply
                                                (string-join reply ", ")))
                             "; "))))
      (_ (concat "✓ Allowed once: " subject)))))

(defun pollux-words-ending (event)
  "The lines that say how a turn ended with EVENT, if it did not simply end."
  (let* ((outcome (plist-get event :outcome))
         (message (plist-get event :message))
         (words (pcase outcome
                  ("cancelled" "– Stopped")
                  ("interrupted" "– Interrupted")
                  ("declined" "– Stopped: you turned it down")
                  ("stopped" "– Stopped by a hook")
                  ("limited" "– Stopped at a limit")
                  ("failed" "✗ Failed"))))
    (when words
      (append (pollux-words-lines
               (if (or (equal message "") (equal outcome "cancelled"))
                   words
                 (concat words ": " message)))
              (when (equal outcome "interrupted")
                (list "  C-c C-e continues · C-c C-r sends the prompt again"))
              (when (member outcome '("failed" "limited"))
                (list "  C-c C-r sends the prompt again · M-x pollux-new begins anew"))))))

(defun pollux-words-todos (todos width)
  "TODOS as lines of WIDTH: as one where they fit."
  (let* ((steps (mapcar (lambda (todo)
                          (concat (pcase (plist-get todo :status)
                                    ("completed" "☑ ")
                                    ("inProgress" "◐ ")
                                    ("cancelled" "☒ ")
                                    ("blocked" "⚠ ")
                                    (_ "☐ "))
                                  (pollux-words-line (plist-get todo :description))))
                        todos))
         (line (string-join steps "  "))
         (done (cl-count "completed" todos :key (lambda (todo) (plist-get todo :status))
                         :test #'equal))
         (now (cl-position "inProgress" todos :key (lambda (todo) (plist-get todo :status))
                           :test #'equal)))
    (cond ((null todos) nil)
          ((<= (string-width line) width) (list line))
          ((<= (length steps) 8) steps)
          (now (list (format "%d of %d  %s" done (length todos) (nth now steps))))
          (t (list (format "%d of %d steps" done (length todos)))))))

(defun pollux-words-tokens (number)
  "NUMBER of tokens in a few characters."
  (cond ((< number 1000) (number-to-string number))
        ((< number 1000000) (format "%dk" (round number 1000)))
        (t (format "%.1fM" (/ number 1000000.0)))))

(defun pollux-words-ago (milliseconds)
  "How long ago MILLISECONDS since 1970 are."
  (let ((seconds (max 0 (- (float-time) (/ milliseconds 1000.0)))))
    (cond ((>= seconds 86400) (format "%d d ago" (/ seconds 86400)))
          ((>= seconds 3600) (format "%d h ago" (/ seconds 3600)))
          ((>= seconds 60) (format "%d min ago" (/ seconds 60)))
          (t "just now"))))

(provide 'pollux-words)
;;; pollux-words.el ends here
