;;; pollux-buffers.el --- Buffers as the Pollux server knows them  -*- lexical-binding: t; -*-

;; SPDX-License-Identifier: Apache-2.0

;;; Commentary:

;; Tells the server what is in the buffers, and does to them what it asks:
;; edit, save, send whole.  An edit that was made for another text than the one
;; that is there is refused, so that nothing a person typed is ever lost.

;;; Code:

(require 'cl-lib)
(require 'pollux-server)

(defvar-local pollux-buffers--version 0
  "The version of the text that the server knows.")

(defvar-local pollux-buffers--path nil
  "The path under which the server knows this buffer.")

(defvar-local pollux-buffers--changes nil
  "What has changed and was not sent yet, the latest first; or `all'.")

(defvar-local pollux-buffers--before nil
  "The change that is being made: its two ends, and the same as positions.")

(defvar-local pollux-buffers--anchor '(1 . 0)
  "The start of a line that no change since was above, and its number.")

(defvar-local pollux-buffers--eol nil
  "The line end in which the text was sent.")

(defvar pollux-buffers--timer nil
  "Runs when changes wait to be sent.")

(defvar pollux-buffers--changed nil
  "Buffers with changes that wait to be sent.")

(defvar pollux-buffers-opened-functions nil
  "Called in a buffer that the server has just been told of.")

;;; Text and positions

(defun pollux-buffers--line-end ()
  "The line end with which this buffer is written."
  (pcase (coding-system-eol-type buffer-file-coding-system)
    (1 "\r\n")
    (2 "\r")
    (_ "\n")))

(defun pollux-buffers--outgoing (text)
  "TEXT as it would be written."
  ;; Bytes that are no text have a place in Emacs and none in the protocol.
  (let ((clean (if (string-match-p "[^\x0-\xd7ff\xe000-\x10ffff]" text)
                   (replace-regexp-in-string "[^\x0-\xd7ff\xe000-\x10ffff]" "\xfffd" text t t)
                 text)))
    (if (equal pollux-buffers--eol "\n")
        clean
      (string-replace "\n" pollux-buffers--eol clean))))

(defun pollux-buffers--incoming (text)
  "TEXT of the server as it stands in this buffer."
  (if (equal pollux-buffers--eol "\n")
      text
    (string-replace pollux-buffers--eol "\n" text)))

(defun pollux-buffers-text ()
  "The whole text of this buffer as it would be written."
  (save-restriction
    (widen)
    (pollux-buffers--outgoing (buffer-substring-no-properties (point-min) (point-max)))))

(defun pollux-buffers--line (position)
  "The number of the line that POSITION is in, from zero.
Counts from where it counted last, and not from the top of a large file."
  (let* ((inhibit-field-text-motion t)
         (start (save-excursion (goto-char position) (line-beginning-position)))
         (from (min (car pollux-buffers--anchor) (point-max)))
         (between (count-lines (min from start) (max from start)))
         (line (if (< start from)
                   (- (cdr pollux-buffers--anchor) between)
                 (+ (cdr pollux-buffers--anchor) between))))
    (setq pollux-buffers--anchor (cons start line))
    line))

(defun pollux-buffers-position (position)
  "POSITION of this buffer as the protocol has it."
  (save-restriction
    (widen)
    (let ((line (pollux-buffers--line position)))
      (list :line line :character (- position (car pollux-buffers--anchor))))))

(defun pollux-buffers-point (position)
  "The place of the protocol's POSITION in this buffer, which must be widened."
  (save-excursion
    (goto-char (point-min))
    (if (> (forward-line (plist-get position :line)) 0)
        (point-max)
      (min (+ (point) (plist-get position :character)) (line-end-position)))))

;;; Telling of changes

(defun pollux-buffers--before-change (beginning end)
  "The text from BEGINNING to END is about to change."
  (setq pollux-buffers--before
        (unless (eq pollux-buffers--changes 'all)
          ;; The end first: then the anchor is above the change.
          (let ((last (pollux-buffers-position end)))
            (list beginning end (pollux-buffers-position beginning) last)))))

(defun pollux-buffers--after-change (beginning end length)
  "The text from BEGINNING to END has replaced LENGTH characters."
  (let ((before pollux-buffers--before))
    (setq pollux-buffers--before nil)
    (cond
     ((eq pollux-buffers--changes 'all))
     ((and before
           (= beginning (nth 0 before))
           (= (+ beginning length) (nth 1 before)))
      (push (list :range (list :start (nth 2 before) :end (nth 3 before))
                  :text (pollux-buffers--outgoing
                         (save-restriction
                           (widen)
                           (buffer-substring-no-properties beginning end))))
            pollux-buffers--changes))
     ;; Some commands announce more than they do: then the whole text is sure.
     (t (pollux-buffers--all-changed)))
    (pollux-buffers--soon)))

(defun pollux-buffers--all-changed ()
  "The whole text must be sent."
  (setq pollux-buffers--changes 'all
        pollux-buffers--anchor '(1 . 0)))

(defun pollux-buffers--soon ()
  "Have the changes of this buffer sent when the command that makes them is done."
  (cl-pushnew (current-buffer) pollux-buffers--changed)
  (unless pollux-buffers--timer
    (setq pollux-buffers--timer (run-with-timer 0 nil #'pollux-buffers-flush))))

(defun pollux-buffers-flush (&rest _)
  "Send all changes that wait."
  (when pollux-buffers--timer
    (cancel-timer pollux-buffers--timer)
    (setq pollux-buffers--timer nil))
  (let ((changed pollux-buffers--changed))
    (setq pollux-buffers--changed nil)
    (dolist (buffer changed)
      (when (buffer-live-p buffer)
        (with-current-buffer buffer (pollux-buffers--send-changes))))))

(defun pollux-buffers--send-changes ()
  "Send the changes of this buffer."
  (let ((changes pollux-buffers--changes)
        (server pollux-server-of-buffer))
    (setq pollux-buffers--changes nil)
    (when (and changes pollux-buffers--path (pollux-server-live-p server)
               (pollux-server-ready server))
      (unless (equal pollux-buffers--eol (pollux-buffers--line-end))
        (setq pollux-buffers--eol (pollux-buffers--line-end)
              changes 'all))
      (cl-incf pollux-buffers--version)
      (jsonrpc-notify
       (pollux-server-connection server) 'textDocument/didChange
       (list :textDocument (list :uri (pollux-uri pollux-buffers--path)
                                 :version pollux-buffers--version)
             :contentChanges (if (eq changes 'all)
                                 (vector (list :text (pollux-buffers-text)))
                               (vconcat (reverse changes))))))))

(defun pollux-buffers--after-save ()
  "This buffer was saved."
  (when pollux-buffers--path
    (pollux-notify pollux-server-of-buffer 'textDocument/didSave
                   (list :textDocument (list :uri (pollux-uri pollux-buffers--path))
                         :text (pollux-buffers-text)))))

(defun pollux-buffers--after-revert ()
  "This buffer was read from disk again."
  (when pollux-buffers--path
    (pollux-buffers--all-changed)
    (pollux-buffers--soon)))

;;; Opening and closing

(defun pollux-buffers-file-p ()
  "Whether this buffer shows a file that the server can know."
  (and buffer-file-name
       (not (buffer-base-buffer))
       (not (file-remote-p buffer-file-name))
       (not (file-directory-p buffer-file-name))
       enable-multibyte-characters))

(defun pollux-buffers--language ()
  "The name of this buffer's language."
  (let ((mode (symbol-name major-mode)))
    (cond ((eq major-mode 'text-mode) "plaintext")
          ((eq major-mode 'fundamental-mode) "plaintext")
          (t (replace-regexp-in-string "\\(?:-ts\\)?-mode\\'" "" mode)))))

(defun pollux-buffers--open ()
  "Tell the server of this buffer."
  (setq pollux-buffers--eol (pollux-buffers--line-end)
        pollux-buffers--changes nil
        pollux-buffers--anchor '(1 . 0))
  (cl-incf pollux-buffers--version)
  (puthash pollux-buffers--path (current-buffer) (pollux-server-files pollux-server-of-buffer))
  (pollux-notify pollux-server-of-buffer 'textDocument/didOpen
                 (list :textDocument (list :uri (pollux-uri pollux-buffers--path)
                                           :languageId (pollux-buffers--language)
                                           :version pollux-buffers--version
                                           :text (pollux-buffers-text))))
  (run-hooks 'pollux-buffers-opened-functions))

(defconst pollux-buffers--hooks
  '((before-change-functions . pollux-buffers--before-change)
    (after-change-functions . pollux-buffers--after-change)
    (after-save-hook . pollux-buffers--after-save)
    (after-revert-hook . pollux-buffers--after-revert)
    (kill-buffer-hook . pollux-buffers-detach)
    (change-major-mode-hook . pollux-buffers-detach)
    (after-set-visited-file-name-hook . pollux-buffers--renamed)))

(defun pollux-buffers-attach ()
  "Have the server of this buffer's folder know it."
  (when (and (pollux-buffers-file-p) (not pollux-buffers--path))
    (let* ((path (file-truename buffer-file-name))
           (server (pollux-server-of (pollux-root path))))
      (unless (or (pollux-server-live-p server) (pollux-server-failed server))
        (pollux-server-ensure (pollux-server-root server)))
      (setq pollux-buffers--path path
            pollux-server-of-buffer server)
      (dolist (hook pollux-buffers--hooks) (add-hook (car hook) (cdr hook) nil t))
      (puthash path (current-buffer) (pollux-server-files server))
      (when (pollux-server-ready server) (pollux-buffers--open)))))

(defun pollux-buffers-detach ()
  "Have the server forget this buffer."
  (when pollux-buffers--path
    (pollux-notify pollux-server-of-buffer 'textDocument/didClose
                   (list :textDocument (list :uri (pollux-uri pollux-buffers--path))))
    (remhash pollux-buffers--path (pollux-server-files pollux-server-of-buffer))
    (dolist (hook pollux-buffers--hooks) (remove-hook (car hook) (cdr hook) t))
    (setq pollux-buffers--path nil
          pollux-server-of-buffer nil
          pollux-buffers--changes nil)))

(defun pollux-buffers--renamed ()
  "This buffer visits another file now."
  (pollux-buffers-detach)
  (pollux-buffers-attach))

(defun pollux-buffers--open-all (server)
  "Tell SERVER, which has just started, of all its buffers."
  (maphash (lambda (_ buffer)
             (when (buffer-live-p buffer) (with-current-buffer buffer (pollux-buffers--open))))
           (copy-hash-table (pollux-server-files server))))

(defun pollux-buffers-of (server uri)
  "The buffer that SERVER knows as URI."
  (let ((buffer (gethash (pollux-path uri) (pollux-server-files server))))
    (and (buffer-live-p buffer) buffer)))

;;; What the server asks

(defun pollux-buffers--replace (beginning end text)
  "Put TEXT between BEGINNING and END; what is the same stays, and point with it."
  (let* ((old (buffer-substring-no-properties beginning end))
         (longest (min (length old) (length text)))
         (same (or (cl-mismatch old text) longest))
         (tail 0))
    (while (and (< tail (- longest same))
                (eq (aref old (- (length old) tail 1)) (aref text (- (length text) tail 1))))
      (cl-incf tail))
    (save-excursion
      (goto-char (+ beginning same))
      ;; Before the old text is gone, so that no marker below jumps above the new one.
      (insert (substring text same (- (length text) tail)))
      (delete-region (point) (- (+ (point) (length old)) same tail)))))

(defun pollux-buffers--edit (edits)
  "Make EDITS, all of which are said of the text as it is now."
  (save-restriction
    (widen)
    (let ((places
           (mapcar (lambda (edit)
                     (let ((range (plist-get edit :range)))
                       (list (pollux-buffers-point (plist-get range :start))
                             (pollux-buffers-point (plist-get range :end))
                             (pollux-buffers--incoming (plist-get edit :newText)))))
                   edits)))
      (undo-boundary)
      ;; From the end on, so that no edit moves the place of another. Of edits in one place
      ;; the last one is made first: then they stand in their order.
      (cl-letf (((symbol-function 'ask-user-about-supersession-threat) #'ignore))
        (atomic-change-group
          (dolist (place (sort (nreverse places) (lambda (one other) (> (car one) (car other)))))
            (apply #'pollux-buffers--replace place))))
      (undo-boundary))))

(defun pollux-buffers--refusal (server document)
  "Why SERVER cannot edit the file that DOCUMENT names, or nil."
  (let* ((uri (plist-get document :uri))
         (buffer (pollux-buffers-of server uri))
         (name (file-name-nondirectory (pollux-path uri))))
    (if (not buffer)
        (format "%s is not open" name)
      (with-current-buffer buffer
        ;; What the disk has and a clean buffer has not is read first.
        (unless (or (buffer-modified-p) (verify-visited-file-modtime buffer)
                    (not (file-exists-p buffer-file-name)))
          (revert-buffer t t t)
          (pollux-buffers-flush))
        (let ((version (plist-get document :version)))
          (cond ((and (integerp version) (/= version pollux-buffers--version))
                 (format "%s has changed meanwhile" name))
                (buffer-read-only (format "%s is read-only" name))))))))

(defun pollux-buffers--apply-edit (server params)
  "Make the edit in PARAMS for SERVER, all of it or nothing."
  (pollux-buffers-flush)
  (let* ((edit (plist-get params :edit))
         (changes
          (append
           (plist-get edit :documentChanges)
           (cl-loop for (uri edits) on (plist-get edit :changes) by #'cddr
                    collect (list :textDocument (list :uri (substring (symbol-name uri) 1))
                                  :edits edits))))
         (refusal
          (cl-some (lambda (change)
                     (if (plist-get change :kind)
                         "Emacs makes, renames and deletes no files for others"
                       (pollux-buffers--refusal server (plist-get change :textDocument))))
                   changes)))
    (if refusal
        (list :applied :json-false :failureReason refusal)
      (dolist (change changes)
        (with-current-buffer
            (pollux-buffers-of server (plist-get (plist-get change :textDocument) :uri))
          (pollux-buffers--edit (append (plist-get change :edits) nil))))
      ;; The answer comes behind the change that it made.
      (pollux-buffers-flush)
      (list :applied t))))

(defun pollux-buffers--choose-coding (from to coding &rest _)
  "CODING if it can hold the text between FROM and TO; nobody is asked."
  (let ((system (if (consp coding) (car coding) coding)))
    (when (and (not (stringp from)) from to
               (unencodable-char-position from to system))
      (error "Not all of its text can be written as %s" system))
    system))

(defun pollux-buffers--save-quietly ()
  "Save this buffer as it is, without a question or a word."
  (unless (verify-visited-file-modtime (current-buffer))
    (error "It has changed on disk"))
  (let ((save-silently t)
        (require-final-newline nil)
        (mode-require-final-newline nil)
        (select-safe-coding-system-function #'pollux-buffers--choose-coding))
    (basic-save-buffer)))

(defun pollux-buffers--save (server params)
  "Save for SERVER the buffers that PARAMS names."
  (let (problems)
    (mapc (lambda (uri)
            (let ((buffer (pollux-buffers-of server uri)))
              (when (and buffer (buffer-modified-p buffer))
                (condition-case problem
                    (with-current-buffer buffer (pollux-buffers--save-quietly))
                  (error (push (format "%s: %s" (buffer-name buffer)
                                       (error-message-string problem))
                               problems))))))
          (plist-get params :uris))
    (pollux-buffers-flush)
    (when problems
      (jsonrpc-error :code -32803 :message (string-join (nreverse problems) "; ")))
    nil))

(defun pollux-buffers--resync (server params)
  "Send SERVER the whole text of the file in PARAMS."
  (let ((buffer (pollux-buffers-of server (plist-get params :uri))))
    (when buffer
      (with-current-buffer buffer
        (pollux-buffers--all-changed)
        (pollux-buffers--soon)
        (pollux-buffers-flush)))))

(defun pollux-buffers-reload (server)
  "Show what was changed on disk for SERVER, in buffers with nothing to lose."
  (maphash (lambda (path buffer)
             (when (buffer-live-p buffer)
               (with-current-buffer buffer
                 (when (and (not (buffer-modified-p))
                            (not (verify-visited-file-modtime buffer))
                            (file-exists-p path))
                   (revert-buffer t t t)))))
           (copy-hash-table (pollux-server-files server))))

(setf (alist-get 'workspace/applyEdit pollux-server-handlers) #'pollux-buffers--apply-edit
      (alist-get 'pollux/save pollux-server-handlers) #'pollux-buffers--save
      (alist-get 'pollux/resync pollux-server-handlers) #'pollux-buffers--resync)

(add-hook 'pollux-server-before-send-functions #'pollux-buffers-flush)
(add-hook 'pollux-server-ready-functions #'pollux-buffers--open-all)

(provide 'pollux-buffers)
;;; pollux-buffers.el ends here
