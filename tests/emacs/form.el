;;; form.el --- A server asks in the midst of a call  -*- lexical-binding: t; -*-

(require 'person)
(require 'pollux)

(defvar given '("" "Ann" t "" "x; y, or so" "" "large")
  "What the person types or picks, in the order they are asked; t leaves what stands there.")

(defun reply (prompt initial)
  "Report PROMPT with INITIAL, and answer it."
  (person-say "asked" prompt "=" (or initial "(empty)"))
  (let ((reply (pop given)))
    (if (eq reply t) initial reply)))

(defun answers ()
  "How often the chat has told of the server."
  (- (length (split-string (person-page) "\\*\\*s\\*\\*:")) 1))

(person-run
 (lambda ()
   (person-set-up)
   (person-find "notes.txt")
   (pollux)
   (let ((asked 0))
     (while (progn
              (pollux-ask "/mcp list s")
              (cl-incf asked)
              (person-wait-for "an answer" (>= (answers) asked))
              (not (person-has "**s**: connected")))))
   (pollux-ask "fill it in")
   (person-wait-for "a question" (pollux-questions-oldest))
   (cl-letf (((symbol-function 'read-string)
              (lambda (prompt &optional initial &rest _) (reply prompt initial)))
             ((symbol-function 'completing-read)
              (lambda (prompt _options _predicate _match initial &rest _) (reply prompt initial)))
             ((symbol-function 'completing-read-multiple)
              (lambda (prompt _options _predicate _match initial &rest _)
                (split-string (reply prompt initial) crm-separator t))))
     (pollux-approve))
   (person-wait-for "the end" (person-has "All done."))
   (dolist (line (split-string (person-page) "\n"))
     (when (string-match-p "Answered" line) (person-say (string-trim line))))))
;;; form.el ends here
