;;; drawing.el --- How hunks look in a buffer  -*- lexical-binding: t; -*-

;; And what stays as it is.  The messages are the server's, said by the test.

(require 'person)
(require 'pollux)

(defun hunk (index state first last removed added &rest more)
  "A hunk in STATE from line FIRST to LAST."
  (append (list :index index :state state
                :range `(:start (:line ,first :character 0) :end (:line ,last :character 0))
                :removed removed :added added)
          more))

(defun hear (version &rest hunks)
  "Have the server say that HUNKS are pending in VERSION of this buffer."
  (pollux-server--notified pollux-server-of-buffer 'pollux/hunks
                           (list :uri (pollux-uri pollux-buffers--path) :path "notes.txt"
                                 :version version :revision 7 :hunks (vconcat hunks))))

(defun shown (string)
  "STRING with its words marked, and its faces where they change."
  (let ((place 0) parts)
    (while (< place (length string))
      (let* ((next (or (next-single-property-change place 'face string) (length string)))
             (part (substring-no-properties string place next))
             (face (get-text-property place 'face string)))
        (push (if (memq 'pollux-removed-word (ensure-list face)) (concat "[" part "]") part) parts)
        (setq place next)))
    (string-replace "\n" "/" (apply #'concat (nreverse parts)))))

(defun show (title)
  "Report everything that is drawn, line by line, with TITLE."
  (person-say "--" title)
  (dolist (overlay (sort (cl-remove-if-not (lambda (overlay) (overlay-get overlay 'pollux))
                                           (overlays-in (point-min) (1+ (point-max))))
                         (lambda (one other)
                           (string< (format "%06d %S" (overlay-start one)
                                            (or (overlay-get one 'face) "~"))
                                    (format "%06d %S" (overlay-start other)
                                            (or (overlay-get other 'face) "~"))))))
    (person-say
     (format "%d-%d" (overlay-start overlay) (overlay-end overlay))
     (or (overlay-get overlay 'face) "")
     (let ((before (overlay-get overlay 'before-string)))
       (if before (concat "before: " (shown before)) ""))
     (let ((after (overlay-get overlay 'after-string)))
       (if after (concat "after: " (shown after)) ""))))
  (person-say "--"))

(person-run
 (lambda ()
   (person-set-up)
   (person-find "notes.txt")
   (person-wait-for "the server" (pollux-server-ready pollux-server-of-buffer))
   (let ((text (buffer-string)) old sent)
     (hear pollux-buffers--version
           (hunk 0 "pending" 1 2 "let total = 1;\n" "let total = 2;\n")
           (hunk 1 "pending" 3 3 "gone\n" "")
           (hunk 2 "proposed" 4 5 "five\n" "FIVE\nand more\n"
                 :comments [(:id 1 :line 4 :text "why?")])
           (hunk 3 "conflict" 6 7 "seven" "SEVEN"))
     (show "all kinds")
     (person-say "status" (pollux-status))
     (person-say "text untouched" (equal text (buffer-string)) (not (buffer-modified-p)))
     (person-say "margin" left-margin-width)

     ;; The marks move with the text, and so does the name of the hunk at point.
     (goto-char (point-min))
     (insert "new first line\n")
     (forward-line 4)
     (person-say "moved" (plist-get (car (pollux-hunks-here)) :index) (cadr (pollux-hunks-here)))

     ;; What was said about an older text and does not fit is not drawn; what fits is.
     (setq old pollux-buffers--version)
     (pollux-buffers-flush)
     (hear old (hunk 0 "pending" 1 2 "let total = 1;\n" "let total = 2;\n"))
     (person-say "late message left alone" (plist-get (car (pollux-hunks-here)) :index))
     (hear old (hunk 0 "pending" 2 3 "let total = 1;\n" "let total = 2;\n"))
     (goto-char (point-min))
     (forward-line 2)
     (run-hooks 'post-command-hook)
     (show "a late message that fits")

     ;; The keys name exactly what is drawn.
     (cl-letf (((symbol-function 'pollux-execute)
                (lambda (_ command argument &rest _)
                  (push (concat command
                                (mapconcat (lambda (key)
                                             (let ((value (plist-get argument key)))
                                               (if value (format " %s=%s" key value) "")))
                                           '(:revision :index :line :text) "")
                                (if (plist-get argument :uri) " here" ""))
                        sent))))
       (mapc #'person-keys
             '("C-c p k" "C-c p r" "C-c p K" "C-c p R" "C-c p C-k" "C-c p C-r" "C-c p u" "C-c p U"
               "C-c p n" "C-c p p" "C-c p o" "C-c p t" "C-c p C"))
       (pollux-comment "too short"))
     (dolist (line (nreverse sent)) (person-say "sent" line))

     (hear pollux-buffers--version)
     (show "nothing pending")
     (person-say "status" (pollux-status) "margin" left-margin-width))))
;;; drawing.el ends here
