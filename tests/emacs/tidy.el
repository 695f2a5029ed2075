;;; tidy.el --- The package compiles without a warning  -*- lexical-binding: t; -*-

;; Byte-compiles every file with warnings as errors, and has checkdoc read it.

(require 'bytecomp)
(require 'checkdoc)

(let ((folder (getenv "POLLUX_PACKAGE"))
      (failed 0))
  (setq byte-compile-error-on-warn t
        ;; It takes every noun that could be a verb for one.
        checkdoc-verb-check-experimental-flag nil
        ;; The tree stays as it is.
        byte-compile-dest-file-function
        (lambda (file)
          (expand-file-name (concat (file-name-nondirectory file) "c") (getenv "POLLUX_WORK"))))
  (dolist (file (directory-files folder t "\\.el\\'"))
    (unless (byte-compile-file file) (setq failed (1+ failed)))
    (with-current-buffer (find-file-noselect file)
      (let ((checkdoc-create-error-function
             (lambda (text start &rest _)
               (setq failed (1+ failed))
               (princ (format "%s:%s: %s\n" (file-name-nondirectory file)
                              (and start (line-number-at-pos start)) text))
               nil)))
        (checkdoc-current-buffer t)
        (checkdoc-comments)))
    (princ (format "%s\n" (file-name-nondirectory file))))
  (princ (format "failed %d\n" failed))
  (kill-emacs (if (= failed 0) 0 1)))
;;; tidy.el ends here
