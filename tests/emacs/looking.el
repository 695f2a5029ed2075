;;; looking.el --- The server knows what is looked at  -*- lexical-binding: t; -*-

(require 'person)
(require 'pollux)

(defun seen ()
  "What the server knows of the file that is looked at."
  (plist-get (person-ask (pollux-server-current) 'pollux/snapshot) :activeFile))

(defun told (act)
  "How many messages ACT makes."
  (let ((count 0))
    (cl-letf* ((notify (symbol-function 'pollux-notify))
               ((symbol-function 'pollux-notify)
                (lambda (server method params)
                  (when (eq method 'pollux/editorState) (cl-incf count))
                  (funcall notify server method params))))
      (funcall act))
    count))

(person-run
 (lambda ()
   (person-set-up)
   (transient-mark-mode 1)
   (person-find "notes.txt")
   (person-wait-for "the server" (pollux-server-ready pollux-server-of-buffer))
   (goto-char (point-min))
   (forward-char 2)
   (pollux-looking-tell)
   (person-say "looks at" (file-name-nondirectory (plist-get (seen) :uri))
               (plist-get (seen) :cursor))
   (person-say "nothing new" (told #'pollux-looking-tell))
   (push-mark (line-beginning-position 3) t t)
   (person-say "something new" (told #'pollux-looking-tell))
   (person-say "selected" (aref (plist-get (seen) :selections) 0))
   (deactivate-mark)
   ;; The chat is no file: what was looked at before still counts.
   (pollux)
   (pollux-looking-tell)
   (person-say "from the chat" (file-name-nondirectory (plist-get (seen) :uri))
               (plist-get (seen) :selections))))
;;; looking.el ends here
