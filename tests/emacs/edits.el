;;; edits.el --- What the server asks of buffers  -*- lexical-binding: t; -*-

;; Edits that fit are made, others are refused whole, saves open nothing.

(require 'person)
(require 'pollux)

(defun edit (version line text)
  "An edit of this buffer at VERSION that puts TEXT in the place of LINE."
  `(:edit (:documentChanges
           [(:textDocument (:uri ,(pollux-uri pollux-buffers--path) :version ,version)
             :edits [(:range (:start (:line ,line :character 0)
                              :end (:line ,(1+ line) :character 0))
                      :newText ,text)])])))

(defun apply-edit (params)
  "Do what the server asks with PARAMS."
  (pollux-server--dispatch pollux-server-of-buffer 'workspace/applyEdit params))

(defun agreed ()
  "Whether the room has this buffer's text."
  (let ((held (person-ask pollux-server-of-buffer 'pollux/document
                          (list :uri (pollux-uri pollux-buffers--path)))))
    (and (equal (plist-get held :sync) "synced")
         (equal (plist-get held :text) (pollux-buffers-text)))))

(defun check (what &rest keys)
  "Press KEYS, then say WHAT if the room has the same text."
  (mapc #'person-keys keys)
  (person-wait-for what (agreed))
  (person-say "ok" what))

(person-run
 (lambda ()
   (person-set-up)
   (transient-mark-mode 1)
   (person-find "notes.txt")
   (buffer-enable-undo)
   (let ((server pollux-server-of-buffer) window (shown (current-buffer)))
     (person-wait-for "the server" (pollux-server-ready server))
     (check "opened")
     (goto-char (point-min))
     (check "typed behind an emoji" "C-e x y DEL")
     (check "killed and yanked" "C-a C-k C-k C-n C-y C-y")
     (check "undone" "C-/ C-/")
     (check "upcased" "M-< M-u" "C-n M-c")
     (goto-char (point-min))
     (while (search-forward "o" nil t) (replace-match "00"))
     (check "replaced")
     (narrow-to-region (line-beginning-position 2) (point-max))
     (check "typed in a narrowed buffer" "M-> z")
     (widen)
     (sort-lines nil (point-min) (point-max))
     (check "sorted")
     (subst-char-in-region (point-min) (point-max) ?0 ?o)
     (check "substituted")
     (insert (decode-coding-string "\377" 'utf-8) "raw")
     (check "a byte that is no text")
     (erase-buffer)
     (insert "one\ntwo\nthree\nfour\n")
     (check "written anew")

     ;; The person types, the agent edits above, and undo takes one of them at a time.
     (goto-char (point-min))
     (forward-line 2)
     (end-of-line)
     (person-type "typed")
     (undo-boundary)
     (pollux-buffers-flush)
     (person-say "applied" (plist-get (apply-edit (edit pollux-buffers--version 0
                                                        "ONE\nand a half\n"))
                                      :applied))
     (person-say "cursor moved with its line" (line-number-at-pos) (current-column))
     (setq last-command nil)
     (undo)
     (person-say "undone" (string-replace "\n" "/" (buffer-string)))
     (setq last-command nil)
     (check "edited and undone")

     ;; Too late: nothing is edited, and the server is told so.
     (let ((old pollux-buffers--version) answer before)
       (goto-char (point-max))
       (person-type "more")
       (setq before (buffer-string)
             answer (apply-edit (edit old 0 "TWO\n")))
       (person-say "refused" (plist-get answer :applied) (plist-get answer :failureReason))
       (person-say "untouched" (equal before (buffer-string))))
     (setq buffer-read-only t)
     (person-say "read-only" (plist-get (apply-edit (edit pollux-buffers--version 0 "X\n"))
                                        :failureReason))
     (setq buffer-read-only nil)

     ;; The whole text again, when it is asked for.
     (pollux-notify server 'textDocument/didChange
                    `(:textDocument (:uri ,(pollux-uri pollux-buffers--path)
                                     :version ,(cl-incf pollux-buffers--version))
                      :contentChanges [(:range (:start (:line 900 :character 0)
                                                :end (:line 901 :character 0))
                                        :text "")]))
     (check "whole again")

     ;; Saved without a window, from another file, and without a line end it had not.
     (person-find "dos.txt")
     (setq window (selected-window))
     (person-say "saved" (pollux-server--dispatch
                          server 'pollux/save
                          `(:uris [,(pollux-uri (buffer-local-value 'pollux-buffers--path shown))]))
                 (buffer-modified-p shown)
                 (with-temp-buffer (insert-file-contents "notes.txt")
                                   (buffer-substring (- (point-max) 4) (point-max))))
     (person-say "where it was" (length (window-list)) (eq window (selected-window)) (buffer-name))

     ;; Line ends are those of the file.
     (check "crlf opened")
     (check "crlf typed" "M-< C-e RET x")
     (person-say "sent" (string-replace "\r\n" "<CRLF>" (pollux-buffers-text)))
     (apply-edit (edit pollux-buffers--version 0 "ALPHA\r\nbeta\r\n"))
     (check "crlf edited")
     (person-say "text" (string-replace "\n" "/" (buffer-string)))
     (set-buffer-file-coding-system 'utf-8-unix)
     (check "line ends changed" "M-> y")

     ;; What others write to disk is read, and the room hears of it.
     (save-buffer)
     (write-region "from outside\n" nil buffer-file-name nil 'silent)
     (set-file-times buffer-file-name (time-add nil 5))
     (pollux-buffers-reload server)
     (check "read again")
     (person-say "text" (string-trim (buffer-string))))))
;;; edits.el ends here
