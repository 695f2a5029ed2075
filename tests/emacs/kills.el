;;; kills.el --- The host is killed  -*- lexical-binding: t; -*-

;; While nothing runs, twice in a row, in the middle of an answer, while a
;; question is open, and while hunks wait.  The chat goes on each time, and ends
;; as the session is recorded.

(require 'person)
(require 'pollux)

(defvar slowest 0 "The longest time, in seconds, until an interrupted turn was told.")

(defun killed (what is-there)
  "Kill the host and wait until the chat shows WHAT from the next one: IS-THERE.
Return the seconds that took."
  (let ((before pollux-session-current) (begun (float-time)))
    (unless (zerop (call-process "sh" nil nil nil
                                 (expand-file-name "../support/kill_host.sh"
                                                   (file-name-directory (locate-library "person")))))
      (error "There is no host"))
    (person-wait what (lambda () (and (not (eq before pollux-session-current)) (funcall is-there))))
    (- (float-time) begun)))

(defun killed-in-turn (what)
  "Kill the host in the middle of a turn, at WHAT."
  (setq slowest
        (max slowest
             (killed what (lambda ()
                            (and (pollux-session-interrupted pollux-session-current)
                                 (not (pollux-session-turn pollux-session-current))
                                 (null (pollux-session-questions pollux-session-current))
                                 (person-has "– Interrupted"))))))
  (let (said)
    (cl-letf (((symbol-function 'message)
               (lambda (&rest words) (setq said (apply #'format words)))))
      (pollux-stop))
    (person-say what "offers" (if (person-has "C-c C-e continue") "C-c C-e" "nothing") "stop says" said)))

(person-run
 (lambda ()
   (person-set-up)
   (person-find "a.txt")
   (let ((file (selected-window)) before)
     (pollux-ask "first")
     (person-wait-for-end 1)

     ;; Idle, and twice in a row.
     (setq before (person-page))
     (killed "the chat after the first kill" (lambda () (equal before (person-page))))
     (killed "the chat after the second kill" (lambda () (equal before (person-page))))
     (pollux-ask "second")
     (person-wait-for-end 2)
     (person-say "goes on" (and (person-has "two") t))

     ;; In the middle of an answer: what came is kept, and C-c C-e goes on.
     (pollux-ask "third")
     (person-wait-for "half an answer" (person-has "half an answer"))
     (killed-in-turn "in an answer")
     (person-say "kept" (and (person-has "half an answer") t))
     (pollux-continue)
     (person-wait-for-end 4)

     ;; While a question is open: nobody runs what was asked about.
     (pollux-ask "fourth")
     (person-wait-for "a question" (pollux-questions-oldest))
     (killed-in-turn "at a question")
     (person-say "made" (file-exists-p "made")
                 (and (person-has "Run touch made  The call was interrupted") t))

     ;; While hunks wait: they are there again, and are decided as ever.
     (pollux-set-mode "autoEdit")
     (person-wait-for "the mode" (equal "autoEdit" (pollux-session-mode pollux-session-current)))
     (select-window file)
     (pollux-ask "fifth")
     (person-wait-for-end 6)
     (person-wait-for "three hunks" (= 3 (pollux-hunks-count)))
     (setq before (person-page))
     (killed "the chat with hunks" (lambda () (equal before (person-page))))
     (person-wait-for "three hunks again" (= 3 (pollux-hunks-count)))
     (select-window file)
     (goto-char (point-min))
     (person-keys "C-c p n")
     (person-wait-for "a hunk at point" (pollux-hunks-here))
     (person-keys "C-c p k")
     (person-wait-for "the decision" (= 2 (pollux-hunks-count)))
     (person-keys "C-c p R")
     (person-wait-for "the decision" (= 0 (pollux-hunks-count)))
     (person-wait-for "the save" (not (buffer-modified-p)))

     ;; What is on the screen is what is recorded.
     (person-show-chat "at the end")
     (setq before (person-page))
     (pollux-session-replay)
     (person-wait-for "the page to be built anew" (equal before (person-page)))
     (person-say "learned within two seconds" (if (< slowest 2) t slowest)))))
;;; kills.el ends here
