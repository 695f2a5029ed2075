;;; retry.el --- A request waits before it is sent again  -*- lexical-binding: t; -*-

(require 'person)
(require 'pollux)

(defun seconds ()
  "The seconds that the chat counts down."
  (let ((page (person-page)))
    (and (string-match "Retrying in \\([0-9]+\\) s" page)
         (string-to-number (match-string 1 page)))))

(person-run
 (lambda ()
   (person-set-up)
   (person-find "notes.txt")
   (pollux-ask "hello")
   (person-wait-for "the wait" (seconds))
   (person-say (and (person-has "s (attempt 1 of 10 failed)\n  the model is busy (HTTP 429): slow") t)
               (and (person-has "C-c C-r retry now · C-c C-k stop") t))
   (let ((first (seconds)))
     (person-wait-for "the seconds to count down" (< (seconds) first)))
   (person-go-to "hello")
   (person-keys "C-c C-r")
   (person-wait-for "the second wait" (and (seconds) (person-has "(attempt 2 of 10 failed)")))
   (pollux-retry)
   (person-wait-for-end 1)
   (person-say (and (person-has "At last.") t) (seconds))
   (pollux-ask "again")
   (person-wait-for "the third wait" (seconds))
   (pollux-stop)
   (person-wait-for-end 2)
   (person-say "stopped" (seconds))))
;;; retry.el ends here
