;;; person.el --- A person at a real Emacs  -*- lexical-binding: t; -*-

;;; Commentary:

;; What the scripts of these tests have in common, and a report of what
;; happened, one line per step, which the Rust test reads.

;;; Code:

(require 'cl-lib)
(require 'subr-x)

(defconst person-folder (file-name-as-directory (getenv "POLLUX_WORK")))
(defconst person-deadline 40 "Seconds after which nothing more is expected to come.")

(defun person-say (&rest words)
  "Report WORDS."
  (princ (concat (string-trim-right
                  (string-replace "\n" " | " (mapconcat (apply-partially #'format "%s") words " ")))
                 "\n")))

(defun person-page ()
  "What stands in the chat above the prompt."
  (let ((buffer (get-buffer "*pollux*")))
    (if buffer (with-current-buffer buffer (pollux-transcript-page)) "")))

(defun person-wait (what test)
  "Wait for WHAT, which has come when TEST says so, and never for a time."
  (let ((until (+ (float-time) person-deadline)) value problem)
    (while (progn
             ;; As the command loop does it: what is looked at is what is current.
             (set-buffer (window-buffer (selected-window)))
             (not (setq value (condition-case oops (progn (setq problem nil) (funcall test))
                                (error (setq problem oops) nil)))))
      (when (> (float-time) until)
        (error "Waited for %s: %s\n%s" what problem (person-page)))
      (accept-process-output nil 0.02))
    value))

(defmacro person-wait-for (what &rest body)
  "Wait for WHAT until BODY is true."
  (declare (indent 1))
  `(person-wait ,what (lambda () ,@body)))

(defun person-keys (keys)
  "Press KEYS."
  (execute-kbd-macro (kbd keys)))

(defun person-type (text)
  "Type TEXT."
  (execute-kbd-macro (string-to-vector text)))

(defun person-has (text)
  "Whether TEXT stands in the chat."
  (string-search text (person-page)))

(defun person-go-to (text)
  "Go to TEXT in the chat."
  (select-window (get-buffer-window "*pollux*"))
  (goto-char (point-min))
  (search-forward text)
  (goto-char (match-beginning 0)))

(defun person-wait-for-end (turn)
  "Wait for the end of TURN."
  (person-wait-for (format "the end of turn %d" turn)
    (and (eql turn (pollux-session-last-turn pollux-session-current))
         (not (pollux-session-turn pollux-session-current)))))

(defun person-show-chat (title)
  "Report the page with TITLE."
  (person-say "--" title)
  (dolist (line (split-string (string-trim (person-page)) "\n"))
    (person-say (if (string= line "") "." line)))
  (person-say "--"))

(defun person-find (name)
  "Go to the file NAME."
  (find-file (expand-file-name name person-folder)))

(defun person-ask (server method &optional params)
  "Ask SERVER for METHOD with PARAMS and wait for the result."
  (let (reply failure)
    (pollux-request server method params
                    (lambda (result) (setq reply (list result)))
                    (lambda (text _) (setq failure text)))
    (person-wait-for (format "the reply to %s" method) (or reply failure))
    (when failure (error "%s" failure))
    (car reply)))

(defun person-set-up ()
  "Have the package as a person has it."
  (setq make-backup-files nil
        create-lockfiles nil
        project-find-functions nil
        pollux-program (list (getenv "POLLUX_BINARY") "lsp")
        pollux-root-function (lambda (_) person-folder))
  (cd person-folder)
  (pollux-mode 1))

(defun person-run (main)
  "Run MAIN, then end everything; its failure is this program's."
  (let ((failed nil))
    (condition-case problem
        (funcall main)
      (error (setq failed t) (person-say "failed" (error-message-string problem))))
    (when (featurep 'pollux)
      (pollux-server-stop-all)
      (ignore-errors (person-wait-for "the end of the server" (null (pollux-server-running)))))
    (kill-emacs (if failed 1 0))))

(provide 'person)
;;; person.el ends here
