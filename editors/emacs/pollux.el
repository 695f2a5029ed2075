;;; pollux.el --- An agent whose every edit you keep or reject  -*- lexical-binding: t; -*-

;; Author: The Pollux authors
;; Version: 0.1.0
;; Package-Requires: ((emacs "28.1"))
;; Keywords: tools, convenience
;; SPDX-License-Identifier: Apache-2.0

;;; Commentary:

;; A chat with the agent in a buffer, and its edits in your files: kept or
;; rejected hunk by hunk, with the keyboard.
;;
;;     (require 'pollux)
;;     (pollux-mode 1)
;;
;; `M-x pollux' opens the chat.  The other keys are behind the prefix
;; `pollux-keymap-prefix'; `C-h m' lists them.

;;; Code:

(require 'cl-lib)
(require 'pollux-server)
(require 'pollux-buffers)
(require 'pollux-session)
(require 'pollux-questions)
(require 'pollux-chat)
(require 'pollux-hunks)
(require 'pollux-review)
(require 'pollux-looking)

(defcustom pollux-modes-to-skip
  '(special-mode image-mode archive-mode tar-mode doc-view-mode hexl-mode)
  "Modes whose files the server is not told of."
  :type '(repeat symbol)
  :group 'pollux)

(defvar pollux-command-map
  (let ((map (make-sparse-keymap)))
    (pcase-dolist (`(,key . ,command)
                   '(("SPC" . pollux) ("a" . pollux-ask) ("x" . pollux-stop)
                     ("m" . pollux-set-mode) ("s" . pollux-sessions)
                     ("y" . pollux-approve) ("d" . pollux-deny) ("q" . pollux-chat-go-to-question)
                     ("n" . pollux-next) ("p" . pollux-previous)
                     ("k" . pollux-keep) ("r" . pollux-reject)
                     ("K" . pollux-keep-file) ("R" . pollux-reject-file)
                     ("C-k" . pollux-keep-all) ("C-r" . pollux-reject-all)
                     ("u" . pollux-undo) ("U" . pollux-redo)
                     ("c" . pollux-comment) ("C" . pollux-send-comments)
                     ("l" . pollux-review) ("L" . pollux-rejected)
                     ("o" . pollux-mine) ("t" . pollux-theirs)
                     ("z" . pollux-undo-turn) ("Z" . pollux-redo-turn) ("w" . pollux-rewind)))
      (define-key map (kbd key) command))
    map)
  "Keys behind `pollux-keymap-prefix'.")

(defvar pollux-mode-map (make-sparse-keymap)
  "Keys of `pollux-mode'.")

(defcustom pollux-keymap-prefix "C-c p"
  "The key before all keys of Pollux; nil for none."
  :type '(choice key-sequence string (const nil))
  :set (lambda (symbol value)
         (let ((old (and (boundp symbol) (symbol-value symbol))))
           (when old (define-key pollux-mode-map (kbd old) nil))
           (when value (define-key pollux-mode-map (kbd value) pollux-command-map))
           (set-default symbol value)))
  :group 'pollux)

(defun pollux--hunk-keys (state)
  "The keys that decide about a hunk in STATE."
  (mapconcat (lambda (act)
               (concat (car act) " "
                       (substitute-command-keys (format "\\<pollux-mode-map>\\[%s]" (cdr act)))))
             (if (equal state "conflict")
                 '(("mine" . pollux-mine) ("theirs" . pollux-theirs))
               '(("keep" . pollux-keep) ("reject" . pollux-reject)))
             " · "))

(setq pollux-hunks-keys-function #'pollux--hunk-keys)

;;; The mode

(defun pollux--attach ()
  "Tell the server of this buffer, if it is one that it should know."
  (when (and (pollux-buffers-file-p)
             (not (apply #'derived-mode-p pollux-modes-to-skip))
             (executable-find (car pollux-program)))
    (pollux-buffers-attach)))

(defun pollux-status ()
  "What waits for the person, in a few words, or nil."
  (let ((pending (pollux-hunks-count)))
    (cond ((pollux-questions-oldest) "Pollux asks")
          ((> pending 0) (format "Pollux: %d to review" pending)))))

(defun pollux--lighter ()
  "What the mode line says."
  (let ((status (pollux-status)))
    (concat " " (if (pollux-questions-oldest)
                    (propertize status 'face 'pollux-ask)
                  (or status "Pollux")))))

;;;###autoload
(define-minor-mode pollux-mode
  "Let Pollux know the files that are edited, and show its edits in them.

\\{pollux-mode-map}"
  :global t
  :group 'pollux
  :lighter (:eval (pollux--lighter))
  :keymap pollux-mode-map
  (pollux-looking-watch pollux-mode)
  (if (not pollux-mode)
      (progn
        (remove-hook 'after-change-major-mode-hook #'pollux--attach)
        (remove-hook 'find-file-hook #'pollux--attach)
        (remove-hook 'kill-emacs-hook #'pollux-server-stop-all)
        (dolist (buffer (buffer-list))
          (with-current-buffer buffer
            (when pollux-buffers--path
              (pollux-hunks-clear)
              (pollux-hunks--make-room)
              (pollux-buffers-detach))))
        (pollux-server-stop-all))
    (add-hook 'after-change-major-mode-hook #'pollux--attach)
    (add-hook 'find-file-hook #'pollux--attach)
    (add-hook 'kill-emacs-hook #'pollux-server-stop-all)
    (unless (executable-find (car pollux-program))
      (pollux-say "`%s' is not installed; see `pollux-program'" (car pollux-program)))
    (dolist (buffer (buffer-list))
      (with-current-buffer buffer (pollux--attach)))))

;;; Entering

;;;###autoload
(defun pollux ()
  "Go to the chat; from there, close it."
  (interactive)
  (unless pollux-mode (pollux-mode 1))
  (if (eq (current-buffer) (pollux-chat-buffer))
      (quit-window)
    (let ((buffer (pollux-chat-open)))
      (select-window (get-buffer-window buffer t))
      (goto-char (point-max)))))

;;;###autoload
(defun pollux-ask (text)
  "Ask TEXT; what is selected and looked at is known.
The chat is shown, and the cursor stays where it is."
  (interactive "sAsk Pollux: ")
  (unless pollux-mode (pollux-mode 1))
  (unless (string= (string-trim text) "")
    (pollux-chat-open)
    (pollux-looking-tell)
    (pollux-session-queue-prompt text)))

;;;###autoload
(defun pollux-sessions ()
  "Go to another session; with a prefix argument, delete one."
  (interactive)
  (let ((delete current-prefix-arg))
    (pollux-session-list
     (lambda (sessions)
       ;; Not while the answer is being read: a person needs time.
       (run-with-timer 0 nil #'pollux--choose-session sessions delete)))))

(defun pollux--choose-session (sessions delete)
  "Let the person choose one of SESSIONS, to show it or to DELETE it."
  (if (null sessions)
      (pollux-say "nothing has been recorded here yet")
    (let* ((choices
            (cl-loop for line in sessions
                     for number from 1
                     collect (cons (format "%d  %s  (%s)" number
                                           (pollux-words-line (plist-get line :title) 60)
                                           (if (equal (plist-get line :state) "running")
                                               "running"
                                             (pollux-words-ago (plist-get line :updated))))
                                   (plist-get line :session))))
           (chosen (cdr (assoc (completing-read (if delete "Delete: " "Session: ") choices nil t)
                               choices))))
      (cond ((null chosen))
            (delete (pollux-session-delete chosen))
            (t (pollux-chat-open)
               (pollux-session-resume chosen))))))

(provide 'pollux)
;;; pollux.el ends here
