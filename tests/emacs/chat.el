;;; chat.el --- A turn in the chat  -*- lexical-binding: t; -*-

;; Text, thoughts, tools, steps; the view killed and built anew.

(require 'person)
(require 'pollux)

(person-run
 (lambda ()
   (person-set-up)
   (person-find "notes.txt")
   (let ((file (selected-window)) before)
     (pollux-ask "what is in the notes?")
     (person-wait-for-end 1)
     (person-show-chat "after the turn")
     (person-say "windows" (length (window-list)) "focus stays" (eq file (selected-window)))

     ;; A card opens and closes where it stands.
     (setq before (person-page))
     (person-go-to "▸ Reading")
     (person-keys "TAB")
     (person-say "opened" (and (person-has "  │ The notes come first.") t))
     (person-keys "TAB")
     (person-say "closed" (equal before (person-page)))

     ;; The page is no text to write in; the prompt is, and it can be undone there.
     (person-say "read-only" (condition-case nil (progn (person-type "z") nil) (error t)))
     (goto-char (point-max))
     (person-type "draft")
     (person-say "typed" (pollux-transcript-input))
     (delete-region pollux-transcript--input (point-max))

     ;; Killed, it is built from the events.
     (select-window file)
     (kill-buffer "*pollux*")
     (person-keys "C-c p SPC")
     (person-wait-for "the page to be built anew" (equal before (person-page)))
     (person-say "built anew, in the chat" (buffer-name))

     ;; Written by hand, sent with RET.
     (person-type "thanks")
     (person-keys "RET")
     (person-wait-for-end 2)
     (person-say "second turn" (and (person-has "▌ thanks\n\nYou are welcome.") t))
     (person-say "prompt is empty again" (equal "" (pollux-transcript-input)))

     ;; A failure says what to do next; what is written meanwhile stays as it is.
     (person-type "once more")
     (person-keys "RET")
     (person-type "unsent")
     (person-wait-for-end 3)
     (person-say "failed turn" (and (person-has "✗ Failed: ") t)
                 (and (person-has "C-c C-r sends the prompt again") t))
     (person-say "unsent" (pollux-transcript-input) (= (point) (point-max)))
     (person-say "header" (and (string-search "gemini-2.5-pro"
                                              (apply #'concat (pollux-chat--header)))
                               t)))))
;;; chat.el ends here
