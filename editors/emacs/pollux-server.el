;;; pollux-server.el --- The connection to the Pollux server  -*- lexical-binding: t; -*-

;; SPDX-License-Identifier: Apache-2.0

;;; Commentary:

;; One server per workspace folder, started when it is needed.  Eglot gives a
;; buffer one server, and that one is the language's: so Pollux has a
;; connection of its own, made with jsonrpc.el, beside it.  What is sent about
;; the buffers is in `pollux-buffers.el'.

;;; Code:

(require 'cl-lib)
(require 'jsonrpc)
(require 'project)
(require 'subr-x)
(require 'url-util)

(defgroup pollux nil
  "An agent inside the editor."
  :group 'tools
  :prefix "pollux-")

(defcustom pollux-program '("pollux" "lsp")
  "The program of the server and its arguments."
  :type '(repeat string))

(defcustom pollux-root-function #'pollux-default-root
  "Function that says to which workspace folder a file or folder belongs."
  :type 'function)

(cl-defstruct (pollux-server (:constructor pollux-server--make (root)) (:copier nil))
  root
  connection
  ;; Whether it has answered `initialize'; what was asked before waits.
  (ready nil)
  (waiting nil)
  ;; Whether it ended before it had answered: then only a person starts it again.
  (failed nil)
  ;; The open files: path → buffer.
  (files (make-hash-table :test #'equal))
  ;; What it was told of the editor last.
  (told nil))

(defvar pollux-server--all (make-hash-table :test #'equal)
  "The servers by their workspace folder.")

(defvar pollux-server--last nil
  "The server that was used last.")

(defvar pollux-server-handlers nil
  "Alist of methods that a server may call, and functions of server and parameters.")

(defvar pollux-server-container-marks '("/.dockerenv" "/run/.containerenv")
  "The files by which gemini-cli sees that it is in a container.")

(defvar pollux-server--teller nil
  "The server that has told terminals where an agent finds it.")

(defvar pollux-server--told-container nil
  "Whether terminals were told that Emacs is in their container.")

(defun pollux-server--silent-container-p ()
  "Whether gemini-cli would look for us outside of the container it shares with us."
  (and (seq-some #'file-exists-p pollux-server-container-marks)
       (seq-every-p (lambda (name) (member (getenv name) '(nil "")))
                    '("SSH_CONNECTION" "REMOTE_CONTAINERS" "VSCODE_REMOTE_CONTAINERS_SESSION"))))

(defun pollux-server--tell-terminals (server params)
  "Tell programs that Emacs starts where an agent finds SERVER, as PARAMS say.
Of several folders the last one counts; an agent finds the others by
their files."
  (let* ((companion (plist-get params :companion))
         (port (plist-get companion :port)))
    (setq pollux-server--teller (and port server))
    (when pollux-server--told-container
      (setenv "REMOTE_CONTAINERS" nil)
      (setq pollux-server--told-container nil))
    (when (and port (pollux-server--silent-container-p))
      (setenv "REMOTE_CONTAINERS" "1")
      (setq pollux-server--told-container t))
    (setenv "GEMINI_CLI_IDE_SERVER_PORT" (and port (number-to-string port)))
    (setenv "GEMINI_CLI_IDE_WORKSPACE_PATH" (plist-get companion :workspacePath))
    (setenv "GEMINI_CLI_IDE_AUTH_TOKEN" (plist-get companion :authToken))))

(setf (alist-get 'pollux/companion pollux-server-handlers) #'pollux-server--tell-terminals)

(defvar pollux-server-ready-functions nil
  "Called with a server that has just said hello.")

(defvar pollux-server-ended-functions nil
  "Called with a server whose process has ended.")

(defvar pollux-server-before-send-functions nil
  "Called with a server before anything is sent to it.")

(defconst pollux-nothing (make-hash-table :size 1)
  "An empty object.")

;;; Words for the person

(defun pollux-say (format &rest arguments)
  "Say FORMAT with ARGUMENTS in the echo area."
  (message "Pollux: %s" (apply #'format format arguments)))

;;; Paths

(defun pollux-uri (path)
  "The URI of PATH."
  (concat "file://" (and (eq system-type 'windows-nt) "/")
          (url-hexify-string (file-local-name path) url-path-allowed-chars)))

(defun pollux-path (uri)
  "The path that URI names."
  (let ((path (decode-coding-string
               (url-unhex-string (substring uri (length "file://"))) 'utf-8)))
    (if (eq system-type 'windows-nt) (string-remove-prefix "/" path) path)))

(defun pollux-default-root (path)
  "The project that PATH is in, or a folder above it with settings, or its own."
  (let* ((folder (if (file-directory-p path) path (file-name-directory path)))
         (project (project-current nil folder)))
    (or (and project (project-root project))
        ;; Settings of the person lie in `.gemini' at home, which makes home no project.
        (let ((found (locate-dominating-file folder ".gemini")))
          (and found (not (file-equal-p found "~")) found))
        folder)))

(defun pollux-root (path)
  "The workspace folder of PATH, as it is called everywhere."
  (directory-file-name
   (file-truename (expand-file-name (funcall pollux-root-function path)))))

;;; Life

(defclass pollux-server--wire (jsonrpc-process-connection) ()
  :documentation "The connection to a server.")

(cl-defmethod jsonrpc-connection-send :around ((wire pollux-server--wire)
                                               &key method &allow-other-keys)
  "Answer through WIRE only while somebody listens; a METHOD is always sent.
What a server asks with its last words is read when it has gone."
  (when (or method (jsonrpc-running-p wire))
    (cl-call-next-method)))

(defun pollux-server-live-p (server)
  "Whether SERVER runs."
  (and server
       (pollux-server-connection server)
       (jsonrpc-running-p (pollux-server-connection server))))

(defun pollux-server--dispatch (server method params)
  "Let the handler of METHOD answer what SERVER says in PARAMS."
  (let ((handler (alist-get method pollux-server-handlers)))
    (if handler
        (funcall handler server params)
      (jsonrpc-error :code -32601 :message (format "Emacs knows no %s" method)))))

(defun pollux-server--notified (server method params)
  "Hear METHOD with PARAMS from SERVER; what is unknown is not for us."
  (let ((handler (alist-get method pollux-server-handlers)))
    (when handler
      ;; One message that cannot be shown must not take the next ones with it.
      (condition-case problem
          (funcall handler server params)
        (error (pollux-say "%s: %s" method (error-message-string problem)))))))

(defun pollux-server--events-arguments ()
  "Arguments that keep any version of jsonrpc.el from recording all traffic."
  (if (slot-exists-p 'jsonrpc-connection '-events-buffer-config)
      '(:events-buffer-config (:size 0 :format full))
    '(:events-buffer-scrollback-size 0)))

(defun pollux-server--capabilities ()
  "What this client can do."
  '(:general (:positionEncodings ["utf-32"])
    :textDocument (:synchronization (:dynamicRegistration :json-false :didSave t))
    :workspace (:applyEdit t
                :workspaceEdit (:documentChanges t)
                :workspaceFolders :json-false
                :configuration :json-false)
    :window (:showMessage (:messageActionItem (:additionalPropertiesSupport :json-false)))
    :experimental (:pollux (:resync t :approvals t :hunks t :save t :companion t))))

(defun pollux-server--start (server)
  "Start the process of SERVER and greet it."
  (unless (executable-find (car pollux-program))
    (user-error "Pollux: `%s' is not installed" (car pollux-program)))
  (let* ((root (pollux-server-root server))
         (default-directory (file-name-as-directory root))
         (name (format "pollux %s" (file-name-nondirectory root)))
         (process
          (lambda ()
            (make-process :name name :command pollux-program
                          :connection-type 'pipe :coding 'utf-8-emacs-unix :noquery t
                          :stderr (get-buffer-create (format "*%s stderr*" name))))))
    (setf (pollux-server-ready server) nil
          (pollux-server-failed server) nil
          (pollux-server-told server) nil
          (pollux-server-connection server)
          (apply #'make-instance 'pollux-server--wire
                 :name name
                 :process process
                 :notification-dispatcher
                 (lambda (_ method params) (pollux-server--notified server method params))
                 :request-dispatcher
                 (lambda (_ method params) (pollux-server--dispatch server method params))
                 :on-shutdown (lambda (_) (pollux-server--ended server))
                 (pollux-server--events-arguments)))
    (jsonrpc-async-request
     (pollux-server-connection server) 'initialize
     (list :processId (emacs-pid)
           :clientInfo (list :name "Emacs" :version emacs-version)
           :rootUri (pollux-uri root)
           :workspaceFolders (vector (list :uri (pollux-uri root)
                                           :name (file-name-nondirectory root)))
           :capabilities (pollux-server--capabilities))
     :timeout nil
     :success-fn (lambda (_) (pollux-server--greeted server))
     :error-fn (lambda (problem) (pollux-say "%s" (plist-get problem :message))))))

(defun pollux-server--greeted (server)
  "SERVER has answered: tell it what there is, then ask it what waited."
  (jsonrpc-notify (pollux-server-connection server) 'initialized pollux-nothing)
  (setf (pollux-server-ready server) t)
  (run-hook-with-args 'pollux-server-ready-functions server)
  (let ((waiting (nreverse (pollux-server-waiting server))))
    (setf (pollux-server-waiting server) nil)
    (mapc #'funcall waiting)))

(defun pollux-server--ended (server)
  "The process of SERVER is gone."
  (unless (pollux-server-ready server)
    (setf (pollux-server-failed server) t)
    (pollux-say "the server did not start: %s"
                (let ((stderr (jsonrpc-stderr-buffer (pollux-server-connection server))))
                  (if stderr
                      (with-current-buffer stderr (string-trim (buffer-string)))
                    "it says nothing"))))
  (setf (pollux-server-connection server) nil
        (pollux-server-ready server) nil
        (pollux-server-waiting server) nil)
  ;; A port of yesterday is somebody else's today.
  (when (eq server pollux-server--teller) (pollux-server--tell-terminals server nil))
  (run-hook-with-args 'pollux-server-ended-functions server))

(defun pollux-server-of (root)
  "The server of the folder ROOT, whether it runs or not."
  (or (gethash root pollux-server--all)
      (puthash root (pollux-server--make root) pollux-server--all)))

(defun pollux-server-ensure (root)
  "The running server of the folder ROOT; started if there is none."
  (let ((server (pollux-server-of root)))
    (unless (pollux-server-live-p server) (pollux-server--start server))
    server))

(defvar-local pollux-server-of-buffer nil
  "The server that knows this buffer.")

(defun pollux-server-current ()
  "The server of this buffer, else the last one, else one for this folder."
  (setq pollux-server--last
        (let ((known (or pollux-server-of-buffer
                         (unless buffer-file-name pollux-server--last))))
          (cond ((pollux-server-live-p known) known)
                (known (pollux-server-ensure (pollux-server-root known)))
                (t (pollux-server-ensure
                    (pollux-root (or buffer-file-name default-directory))))))))

(defun pollux-server-running ()
  "All servers that run."
  (cl-remove-if-not #'pollux-server-live-p (hash-table-values pollux-server--all)))

(defun pollux-server-stop-all ()
  "End all servers, politely."
  (dolist (server (pollux-server-running))
    (let ((connection (pollux-server-connection server)))
      ;; The host behind the server keeps sessions; nothing is lost by not waiting.
      (ignore-errors
        (jsonrpc-async-request
         connection 'shutdown nil :timeout nil :error-fn #'ignore
         :success-fn (lambda (_) (ignore-errors (jsonrpc-notify connection 'exit nil))))))))

;;; Talking

(defun pollux-notify (server method params)
  "Tell SERVER METHOD with PARAMS, if it listens."
  (when (and (pollux-server-live-p server) (pollux-server-ready server))
    (run-hook-with-args 'pollux-server-before-send-functions server)
    (jsonrpc-notify (pollux-server-connection server) method params)))

(defun pollux-request (server method params &optional done failed)
  "Ask SERVER for METHOD with PARAMS and hand the result to DONE.
A problem is said aloud, unless FAILED takes it: its message and its code."
  (unless (pollux-server-live-p server) (pollux-server--start server))
  (let ((ask (lambda ()
               (run-hook-with-args 'pollux-server-before-send-functions server)
               (jsonrpc-async-request
                (pollux-server-connection server) method (or params pollux-nothing)
                :timeout nil
                :success-fn (or done #'ignore)
                :error-fn (lambda (problem)
                            (funcall (or failed (lambda (text _) (pollux-say "%s" text)))
                                     (plist-get problem :message)
                                     (plist-get problem :code)))))))
    (if (pollux-server-ready server)
        (funcall ask)
      (push ask (pollux-server-waiting server)))))

(defun pollux-execute (server command argument &optional done failed)
  "Have SERVER execute COMMAND with ARGUMENT.
DONE and FAILED are as in `pollux-request'."
  (pollux-request server 'workspace/executeCommand
                  (list :command command :arguments (vector (or argument pollux-nothing)))
                  done failed))

(provide 'pollux-server)
;;; pollux-server.el ends here
