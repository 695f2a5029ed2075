;;; review.el --- Nine hunks in three files  -*- lexical-binding: t; -*-

;; An agent changes three files in nine places; a person keeps six and rejects
;; three, by keyboard only.

(require 'person)
(require 'pollux)

(defun decide (key)
  "Move to the next hunk and decide with KEY, as a person does: look, then press."
  (let ((before (pollux-hunks-count)))
    (person-keys "C-c p n")
    (person-wait-for "a hunk at point" (pollux-hunks-here))
    (let ((at (format "%s:%d" (buffer-name) (line-number-at-pos))))
      (person-keys key)
      (person-wait-for "the decision" (= (pollux-hunks-count) (1- before)))
      at)))

(defun line-22 ()
  "The line of this file that the rejected hunk is in."
  (save-excursion
    (goto-char (point-min))
    (forward-line 21)
    (buffer-substring-no-properties (point) (line-end-position))))

(person-run
 (lambda ()
   (person-set-up)
   (person-find "a.txt")
   (let ((file (selected-window)))
     (pollux-set-mode "autoEdit")
     (person-wait-for "the mode"
       (equal "autoEdit" (pollux-session-mode pollux-session-current)))
     (pollux-ask "change them")
     (person-wait-for-end 1)
     (person-wait-for "nine hunks" (= 9 (pollux-hunks-count)))
     (person-show-chat "the turn")
     (person-say "status" (pollux-status))
     (person-say "focus stays" (eq file (selected-window)) (buffer-name) "open files"
                 (cl-count-if #'buffer-file-name (buffer-list)))
     (person-wait-for "the save" (not (buffer-modified-p)))

     (person-keys "C-c p l")
     (person-wait-for "the list" (= 9 (length tabulated-list-entries)))
     (person-say "listed" (string-trim (buffer-substring-no-properties
                                        (point-min) (line-end-position))))
     (quit-window)
     (select-window file)

     ;; Two of each file are kept, the last of each is rejected.
     (goto-char (point-min))
     (dotimes (_ 3)
       (person-say "kept" (decide "C-c p k"))
       (person-say "kept" (decide "C-c p k"))
       (person-say "rejected" (decide "C-c p r")))
     (person-say "left" (pollux-hunks-count))

     ;; What was rejected is still there to be seen, and can be had again.
     (person-keys "C-c p L")
     (person-wait-for "the rejected ones" (= 3 (length tabulated-list-entries)))
     (dolist (line (sort (split-string (string-trim (buffer-string)) "\n") #'string<))
       (person-say (replace-regexp-in-string " +" " " line)))
     (quit-window)
     (select-window file)

     ;; A decision can be taken back, and made again.
     (person-keys "C-c p u")
     (person-wait-for "the hunk to be back" (= 1 (pollux-hunks-count)))
     (person-say "undone" (buffer-name) (line-22))
     (person-keys "C-c p U")
     (person-wait-for "the decision to be made again" (= 0 (pollux-hunks-count)))
     (person-say "redone" (line-22))

     (person-keys "C-c p L")
     (person-wait-for "the rejected ones" (save-excursion
                                            (goto-char (point-min))
                                            (search-forward "a.txt")))
     (goto-char (point-min))
     (search-forward "a.txt")
     (person-keys "k")
     (person-wait-for "it to be pending again" (= 1 (pollux-hunks-count)))
     (person-find "a.txt")
     (person-wait-for "the text to be there" (string-search "new" (line-22)))
     (person-say "applied again" (line-22))
     (person-keys "C-c p R")
     (person-wait-for "the file to be decided" (= 0 (pollux-hunks-count)))
     (person-wait-for "all files to be saved"
       (not (cl-some (lambda (buffer) (and (buffer-file-name buffer) (buffer-modified-p buffer)))
                     (buffer-list)))))))
;;; review.el ends here
