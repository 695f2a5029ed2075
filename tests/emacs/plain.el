;;; plain.el --- Eglot alone, without the package  -*- lexical-binding: t; -*-

;; A person with no other language server adds one line to their configuration,
;; and decides about hunks with code actions.

(require 'person)
(require 'package)
(package-initialize)
(require 'eglot)

(defun ask (method params)
  "Ask the server for METHOD with PARAMS."
  ;; Eglot sends changes when Emacs is idle, which a program without a screen never is.
  (eglot--signal-textDocument/didChange)
  (jsonrpc-request (eglot-current-server) method params :timeout person-deadline))

(defun pending ()
  "How many hunks wait."
  (cl-reduce #'+ (mapcar (lambda (file) (length (plist-get file :hunks)))
                         (plist-get (ask :pollux/review (make-hash-table)) :files))))

(defun choose (title)
  "Execute the code action with TITLE at point."
  (let (offered
        ;; A key, and no mouse that would get a menu.
        (last-nonmenu-event ?a))
    (cl-letf (((symbol-function 'completing-read)
               (lambda (_ choices &rest _)
                 (setq offered (mapcar #'car choices))
                 (or (cl-find title offered :test #'string-search)
                     (error "Only %s" offered)))))
      (call-interactively #'eglot-code-actions))))

(person-run
 (lambda ()
   (setq make-backup-files nil
         create-lockfiles nil
         eglot-sync-connect person-deadline
         eglot-autoshutdown nil
         eglot-confirm-server-initiated-edits nil
         eglot-server-programs
         `(((prog-mode text-mode) . (,(getenv "POLLUX_BINARY") "lsp"))))
   (cd person-folder)
   (person-find "a.txt")
   (call-interactively #'eglot)
   (person-wait-for "eglot" (eglot-managed-p))
   (let* ((session (plist-get (ask :pollux/sessionStart (make-hash-table)) :session))
          (of-session (lambda (&rest more) (append (list :session session) more))))
     (ask :pollux/modeSet (funcall of-session :mode "autoEdit"))
     (ask :pollux/promptQueue (funcall of-session :text "change it"))
     (person-wait-for "three hunks" (= 3 (pending)))
     (person-wait-for "the edit" (string-search "new 20" (buffer-string)))
     (person-say "in the buffer, unsaved" (buffer-modified-p))
     (goto-char (point-min))
     (search-forward "new 2\n")
     (forward-line -1)
     (choose "Keep this hunk")
     (person-wait-for "the decision" (= 2 (pending)))
     (search-forward "new 20")
     (choose "Reject this hunk")
     (person-wait-for "the decision" (= 1 (pending)))
     (person-wait-for "the old text" (string-search "old 20" (buffer-string)))
     (search-backward "new 10")
     (choose "Keep all in this file")
     (person-wait-for "the decision" (= 0 (pending)))
     (save-buffer)
     (person-say "saved" (buffer-modified-p))
     (let ((process (jsonrpc--process (eglot-current-server))))
       (ignore-errors (eglot-shutdown (eglot-current-server)))
       (person-wait-for "the end of the server" (not (process-live-p process)))))))
;;; plain.el ends here
