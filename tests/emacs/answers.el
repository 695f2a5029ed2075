;;; answers.el --- Questions, waiting prompts, stopping  -*- lexical-binding: t; -*-

(require 'person)
(require 'pollux)

(defun question ()
  "The question in the chat and what follows, or nil."
  (let ((start (person-has "┌ ")))
    (and start (string-trim (substring (person-page) start)))))

(person-run
 (lambda ()
   (person-set-up)
   (person-find "notes.txt")
   (let ((file (selected-window)))
     (pollux-ask "make it")
     (person-wait-for "a question" (question))
     (person-say (string-replace (directory-file-name person-folder) "FOLDER" (question)))
     (person-say "focus stays" (eq file (selected-window)) (pollux-status))

     ;; What is said meanwhile waits, or goes into the turn; what waits can be taken back.
     (pollux)
     (person-type "later")
     (person-keys "RET")
     (person-wait-for "the queue" (person-has "⧗ later"))
     (person-type "never")
     (person-keys "RET")
     (person-wait-for "the queue" (person-has "⧗ never"))
     (person-go-to "⧗ never")
     (person-keys "x")
     (person-wait-for "the prompt to be taken back" (not (person-has "⧗ never")))
     (goto-char (point-max))
     (person-type "in a hurry")
     (person-keys "C-c C-s")

     ;; A letter answers on the question only, and not before one could have read it.
     (person-go-to "┌ Run")
     (setf (pollux-block-born (get-text-property (point) 'pollux-block)) (float-time))
     (person-keys "y")
     (person-say "too soon" (and (pollux-questions-oldest) t))
     (setf (pollux-block-born (get-text-property (point) 'pollux-block)) 0)
     (person-keys "y")
     (person-wait-for-end 2)
     (person-say "made" (file-exists-p "made"))
     (person-show-chat "allowed, steered and queued")

     ;; Turned down by its button, with a word about what to do instead.
     (pollux-session-queue-prompt "again")
     (person-wait-for "a question" (pollux-questions-oldest))
     (person-go-to "r reject with a reason")
     (setf (pollux-block-born (get-text-property (point) 'pollux-block)) 0)
     (cl-letf (((symbol-function 'read-string) (lambda (&rest _) "use the other folder")))
       (person-keys "RET"))
     (person-wait-for-end 3)
     (person-say "made2" (file-exists-p "made2")
                 (and (person-has "✗ Rejected: Run touch made2: use the other folder") t))

     ;; A key on the question rejects the call and nothing else: the turn goes on.
     (pollux-session-queue-prompt "once more")
     (person-wait-for "a question" (pollux-questions-oldest))
     (person-go-to "┌ Run  touch made3")
     (setf (pollux-block-born (get-text-property (point) 'pollux-block)) 0)
     (person-keys "n")
     (person-wait-for-end 4)
     (person-say "made3" (file-exists-p "made3") (and (person-has "As you wish.") t))

     ;; Stopped by key.
     (goto-char (point-max))
     (person-type "stop this")
     (person-keys "RET")
     (person-wait-for "the story" (person-has "Once upon a time"))
     (person-keys "C-c C-k")
     (person-wait-for-end 5)
     (person-say "stopped" (car (last (split-string (string-trim (person-page)) "\n"))))

     (pollux-set-mode "plan")
     (person-wait-for "the mode" (equal "plan" (pollux-session-mode pollux-session-current)))
     (person-say "mode" (pollux-session-mode pollux-session-current)))))
;;; answers.el ends here
