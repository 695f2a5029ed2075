;;; typing.el --- A person types while the agent edits  -*- lexical-binding: t; -*-

;; The same file and another one: nothing is lost, moved or opened.

(require 'person)
(require 'pollux)

(person-run
 (lambda ()
   (person-set-up)
   (person-find "a.txt")
   (pollux-set-mode "autoEdit")
   (person-wait-for "the mode"
     (equal "autoEdit" (pollux-session-mode pollux-session-current)))
   (pollux-session-queue-prompt "change them")
   (goto-char (point-min))
   (forward-line 5)
   (end-of-line)
   (let ((typed "") (window (selected-window)) (letters 0) done)
     (while (not done)
       (let ((letter (string (+ ?a (% letters 26)))))
         (person-type letter)
         (setq typed (concat typed letter)
               letters (1+ letters)))
       ;; A quick start, then ten keys a second, whatever else comes in meanwhile.
       (let ((next (+ (float-time) (if (< letters 7) 0.02 0.1))))
         (while (< (float-time) next)
           (accept-process-output nil 0.01)))
       (setq done (and (eql 1 (pollux-session-last-turn pollux-session-current))
                       (not (pollux-session-turn pollux-session-current)))))
     (person-say "typed where it was"
                 (equal (concat "a.txt old 5" typed)
                        (buffer-substring (line-beginning-position) (line-end-position)))
                 (eolp))
     (person-say "windows" (length (window-list)) (eq window (selected-window)) (buffer-name))
     (person-wait-for "all edits"
       (and (string-search "a.txt new 2\n" (buffer-string))
            (string-search "a.txt more\n" (buffer-string))
            (string-search "a.txt new 20\n" (buffer-string))))
     (person-wait-for "five hunks" (= 5 (pollux-hunks-count)))
     (person-say "while" (> letters 5))
     ;; The room has the same text.
     (person-wait-for "the room to agree"
       (equal (pollux-buffers-text)
              (plist-get (person-ask pollux-server-of-buffer 'pollux/document
                                     (list :uri (pollux-uri pollux-buffers--path)))
                         :text)))
     ;; Rejected, what the person typed is all that is left of it.
     (person-keys "C-c p C-r")
     (person-wait-for "the decision" (= 0 (pollux-hunks-count)))
     (person-wait-for "the old text" (string-search "a.txt old 20\n" (buffer-string)))
     (save-buffer)
     (write-region typed nil "typed" nil 'silent)
     (person-say "saved" (buffer-modified-p)))))
;;; typing.el ends here
