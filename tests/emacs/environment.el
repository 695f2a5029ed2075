;;; environment.el --- What programs in a terminal are told  -*- lexical-binding: t; -*-

(require 'person)
(require 'pollux)

(defun show (when)
  "Report the variables of WHEN."
  (let ((port (getenv "GEMINI_CLI_IDE_SERVER_PORT"))
        (token (getenv "GEMINI_CLI_IDE_AUTH_TOKEN")))
    (person-say when "port" (and port (> (string-to-number port) 0))
                "token" (and token (> (length token) 20)))
    (person-say when "folder" (equal (getenv "GEMINI_CLI_IDE_WORKSPACE_PATH")
                                     (directory-file-name person-folder)))
    (person-say when "container" (getenv "REMOTE_CONTAINERS"))))

(defun start ()
  "Open the file and wait for the variables."
  (person-find "notes.txt")
  (person-wait-for "the variables" (getenv "GEMINI_CLI_IDE_SERVER_PORT")))

(defun stop ()
  "End the server and wait for the end of the variables."
  (kill-buffer "notes.txt")
  (pollux-server-stop-all)
  (person-wait-for "the end" (null (getenv "GEMINI_CLI_IDE_SERVER_PORT"))))

(person-run
 (lambda ()
   (person-set-up)
   (dolist (name '("SSH_CONNECTION" "REMOTE_CONTAINERS" "VSCODE_REMOTE_CONTAINERS_SESSION"))
     (setenv name nil))
   (setq pollux-server-container-marks
         (list (expand-file-name "nothing" person-folder) (expand-file-name "notes.txt" person-folder)))
   (start)
   (show "in a container:")
   (stop)
   (show "after it:")
   (setenv "SSH_CONNECTION" "from afar")
   (start)
   (show "over SSH:")
   (stop)
   (setenv "SSH_CONNECTION" nil)
   (setq pollux-server-container-marks nil)
   (start)
   (show "at home:")))
;;; environment.el ends here
