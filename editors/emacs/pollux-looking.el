;;; pollux-looking.el --- What the person looks at  -*- lexical-binding: t; -*-

;; SPDX-License-Identifier: Apache-2.0

;;; Commentary:

;; Tells the server which file is looked at, where, and how many problems there
;; are: only what has changed, and only when things are quiet.

;;; Code:

(require 'cl-lib)
(require 'pollux-buffers)

(declare-function flymake-diagnostics "flymake" (&optional beg end))
(declare-function flymake-diagnostic-type "flymake" (diag))
(declare-function flymake--lookup-type-property "flymake" (type prop &optional default))

(defconst pollux-looking--quiet 0.2 "Seconds without input after which it is told.")

(defvar pollux-looking--timer nil "Runs when things are quiet.")
(defvar pollux-looking--buffer nil "The file that was looked at last; the chat is no file.")

(defun pollux-looking--range (beginning end)
  "The range from BEGINNING to END."
  (list :start (pollux-buffers-position beginning) :end (pollux-buffers-position end)))

(defun pollux-looking--active (server)
  "The file that is looked at, if SERVER knows it."
  (let ((buffer pollux-looking--buffer))
    (when (and (buffer-live-p buffer)
               (eq server (buffer-local-value 'pollux-server-of-buffer buffer)))
      (with-current-buffer buffer
        (let ((window (get-buffer-window buffer)))
          (append
           (list :uri (pollux-uri pollux-buffers--path)
                 :cursor (pollux-buffers-position (if window (window-point window) (point))))
           (when (and mark-active (mark) (/= (mark) (point)))
             (list :selections
                   (vector (pollux-looking--range (region-beginning) (region-end)))))
           (when (and window (not noninteractive))
             (list :visibleRanges
                   (vector (pollux-looking--range (window-start window)
                                                  (min (window-end window) (point-max))))))))))))

(defun pollux-looking--counts ()
  "The problems that Flymake shows in this buffer, by severity."
  (let ((counts (list :errors 0 :warnings 0 :information 0)))
    (dolist (problem (flymake-diagnostics))
      (let* ((type (flymake-diagnostic-type problem))
             (severity (or (flymake--lookup-type-property type 'severity) 0))
             (name (cond ((>= severity (warning-numeric-level :error)) :errors)
                         ((>= severity (warning-numeric-level :warning)) :warnings)
                         (t :information))))
        (cl-incf (plist-get counts name))))
    counts))

(defun pollux-looking--problems (server)
  "How many problems there are in each of SERVER's files that has any."
  (let (all)
    (maphash (lambda (path buffer)
               (when (and (buffer-live-p buffer)
                          (buffer-local-value 'flymake-mode buffer))
                 (let ((counts (with-current-buffer buffer (pollux-looking--counts))))
                   (unless (equal counts '(:errors 0 :warnings 0 :information 0))
                     (push (append (list :uri (pollux-uri path)) counts) all)))))
             (pollux-server-files server))
    (vconcat (sort all (lambda (one other)
                         (string< (plist-get one :uri) (plist-get other :uri)))))))

(defun pollux-looking-tell ()
  "Tell all servers what has changed since they were told last."
  (let ((buffer (window-buffer (selected-window))))
    (when (buffer-local-value 'pollux-buffers--path buffer)
      (setq pollux-looking--buffer buffer)))
  (dolist (server (pollux-server-running))
    (when (pollux-server-ready server)
      (let* ((told (pollux-server-told server))
             (file (pollux-looking--active server))
             (problems (if (boundp 'flymake-mode) (pollux-looking--problems server) []))
             (message
              (append
               (unless (and told (equal file (plist-get told :file))) (list :activeFile file))
               (unless (equal problems (or (plist-get told :problems) []))
                 (list :diagnostics problems)))))
        (setf (pollux-server-told server) (list :file file :problems problems))
        (when message (pollux-notify server 'pollux/editorState message))))))

(defun pollux-looking-watch (watch)
  "Tell from now on if WATCH is non-nil, else no more."
  (when pollux-looking--timer
    (cancel-timer pollux-looking--timer)
    (setq pollux-looking--timer nil))
  (when watch
    (setq pollux-looking--timer
          (run-with-idle-timer pollux-looking--quiet t #'pollux-looking-tell))))

(add-hook 'pollux-server-ready-functions (lambda (_) (pollux-looking-tell)) 'append)

(provide 'pollux-looking)
;;; pollux-looking.el ends here
