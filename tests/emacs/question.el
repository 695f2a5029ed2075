;;; question.el --- A question in eglot alone, and a stray RET  -*- lexical-binding: t; -*-

;; Without the package a question of the agent takes the minibuffer, with
;; something filled in. Whoever presses RET for another reason allows nothing.

(require 'person)
(require 'package)
(package-initialize)
(require 'eglot)

(defvar asked nil "The prompt and the answer that RET gives.")
(defvar ended nil "How the turn ended.")

(cl-defmethod eglot-handle-notification
  (_server (_method (eql pollux/sessionEvents)) &key events &allow-other-keys)
  "Note how a turn ends, as EVENTS say."
  (seq-do (lambda (event)
            (when (equal (plist-get event :kind) "turnEnded")
              (setq ended (plist-get event :outcome))))
          events))

(defun stray-return (prompt collection &rest arguments)
  "What RET gives at PROMPT, with COLLECTION and the ARGUMENTS of `completing-read'."
  (let ((initial (nth 2 arguments)) (default (nth 4 arguments)))
    (setq asked (car (last (split-string prompt "\n"))))
    (or initial default (car (all-completions "" collection)))))

(person-run
 (lambda ()
   (setq make-backup-files nil
         create-lockfiles nil
         eglot-sync-connect person-deadline
         eglot-autoshutdown nil
         eglot-server-programs
         `(((prog-mode text-mode) . (,(getenv "POLLUX_BINARY") "lsp"))))
   (cd person-folder)
   (person-find "a.txt")
   (call-interactively #'eglot)
   (person-wait-for "eglot" (eglot-managed-p))
   (let* ((server (eglot-current-server))
          (ask (lambda (method params)
                 (jsonrpc-request server method params :timeout person-deadline)))
          (session (plist-get (funcall ask :pollux/sessionStart (make-hash-table)) :session)))
     (funcall ask :pollux/sessionFollow (list :session session :cursor 0))
     (cl-letf* ((answer nil)
                ((symbol-function 'completing-read)
                 (lambda (&rest arguments) (setq answer (apply #'stray-return arguments)))))
       (funcall ask :pollux/promptQueue (list :session session :text "make it"))
       (person-wait-for "the end of the turn" ended)
       (person-say asked answer ended))
     (person-say "made" (file-exists-p (expand-file-name "made" person-folder)))
     (let ((process (jsonrpc--process server)))
       (ignore-errors (eglot-shutdown server))
       (person-wait-for "the end of the server" (not (process-live-p process)))))))
;;; question.el ends here
