;;; turns.el --- Comments are sent, turns are taken back  -*- lexical-binding: t; -*-

(require 'person)
(require 'pollux)

(defun has (text)
  "Whether this buffer has TEXT."
  (string-search text (buffer-string)))

(person-run
 (lambda ()
   (person-set-up)
   (person-find "a.txt")
   (let ((file (selected-window)))
     (pollux-set-mode "autoEdit")
     (person-wait-for "the mode"
       (equal "autoEdit" (pollux-session-mode pollux-session-current)))
     (pollux-ask "change it")
     (person-wait-for-end 1)
     (person-wait-for "three hunks" (= 3 (pollux-hunks-count)))
     (person-wait-for "the save" (not (buffer-modified-p)))

     ;; A comment reaches the model with its place.
     (goto-char (point-min))
     (search-forward "new 10")
     (pollux-comment "why two lines?")
     (person-wait-for "the comment" (cl-some (lambda (overlay)
                                               (let ((text (overlay-get overlay 'before-string)))
                                                 (and text (string-search "▏ why two lines?" text))))
                                             (overlays-in (point-min) (point-max))))
     (person-keys "C-c p C")
     (person-wait-for-end 2)
     (person-say "commented" (and (person-has "why two lines?") t) (and (person-has "Noted.") t))

     ;; A turn is taken back, and done again.
     (person-keys "C-u 1 C-c p z")
     (person-wait-for "the old text" (has "old 20"))
     (person-keys "C-u 1 C-c p Z")
     (person-wait-for "the new text" (has "new 20"))
     (person-say "undone and redone")

     ;; Files and chat go back to before the first prompt, which can be written anew.
     (pollux-rewind 1)
     (person-wait-for "the old text" (and (has "old 2\n") (has "old 10") (has "old 20")))
     (person-wait-for "an empty chat" (not (person-has "Noted.")))
     (person-say "rewound" (with-current-buffer "*pollux*" (pollux-transcript-input))
                 (eq file (selected-window)) (pollux-hunks-count)))))
;;; turns.el ends here
