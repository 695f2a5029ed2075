;;; pollux-session.el --- The session that Emacs shows  -*- lexical-binding: t; -*-

;; SPDX-License-Identifier: Apache-2.0

;;; Commentary:

;; A session is started with the first prompt and followed from its events.
;; What can be known of it is folded from them, so a view that is opened later
;; shows the same.

;;; Code:

(require 'cl-lib)
(require 'pollux-server)

(cl-defstruct (pollux-session (:constructor pollux-session--make (server id)) (:copier nil))
  server id
  ;; Deaf while it is followed anew: what still comes belongs to the past.
  (deaf t)
  ;; Whether events are news. What is replayed has been seen.
  (live nil)
  ;; Its server has ended; the next prompt resumes it.
  (lost nil)
  ;; Whether its first event has come, and whether its last turn was interrupted.
  (opened nil) (interrupted nil)
  (turn nil) (last-turn nil) (last-prompt nil)
  (title nil) (model nil) (mode nil) (tokens nil)
  (activity nil) (since nil)
  ;; The event about a request that waits before it is sent again.
  (retry nil)
  (todos nil)
  ;; Prompts that wait, and questions that do, the oldest first.
  (queue nil) (questions nil))

(defvar pollux-session-current nil
  "The session that is shown.")

(defvar pollux-session-reset-hook nil
  "Run when another session is shown, or the same one from its start.")

(defvar pollux-session-event-functions nil
  "Called with every event and its session.")

(defvar pollux-session-settled-functions nil
  "Called with a session after all events of a message.")

(defvar pollux-session-unsent-functions nil
  "Called with a prompt that was not sent, so that nothing that was typed is lost.")

(defconst pollux-modes
  '(("plan" . "read and plan, change nothing")
    ("default" . "ask before edits, and before commands that may change something")
    ("autoEdit" . "edit without asking; ask before commands that may change something")
    ("yolo" . "edit and run commands without asking, except for guarded files"))
  "How much the agent may do without asking.")

;;; Folding events

(defun pollux-session-number (question)
  "The number under which QUESTION is answered."
  (or (plist-get question :approval) (plist-get question :proposal)))

(defun pollux-session--doing (session what)
  "SESSION does WHAT now."
  (unless (equal what (pollux-session-activity session))
    (setf (pollux-session-activity session) what
          (pollux-session-since session) (float-time))))

(defun pollux-session--first-line (text)
  "The first line of TEXT."
  (car (split-string text "\n")))

(defun pollux-session--without-question (session number)
  "Forget the question NUMBER of SESSION.
What happens now begins now: nobody counts how long a person thought."
  (setf (pollux-session-since session) (float-time)
        (pollux-session-questions session)
        (cl-remove number (pollux-session-questions session) :key #'pollux-session-number)))

(defun pollux-session--ask (session event)
  "SESSION waits for an answer to EVENT."
  (setf (pollux-session-questions session)
        (append (pollux-session-questions session) (list event))))

(defun pollux-session-apply (session event)
  "Fold EVENT into what is known of SESSION."
  (cl-flet ((get (key) (plist-get event key)))
    (pcase (get :kind)
      ("promptQueued"
       (setf (pollux-session-queue session)
             (append (pollux-session-queue session) (list (cons (get :id) (get :text))))))
      ("promptUnqueued"
       (setf (pollux-session-queue session)
             (cl-remove (get :id) (pollux-session-queue session) :key #'car)))
      ("turnStarted"
       (setf (pollux-session-turn session) (get :turn)
             (pollux-session-retry session) nil
             (pollux-session-interrupted session) nil
             (pollux-session-last-turn session) (get :turn)
             (pollux-session-last-prompt session) (get :prompt)
             (pollux-session-model session) (get :model))
       (unless (pollux-session-title session)
         (setf (pollux-session-title session) (pollux-session--first-line (get :prompt))))
       (pollux-session--doing session "thinking"))
      ("text" (pollux-session--doing session "writing"))
      ("thought"
       (pollux-session--doing session (if (equal (get :subject) "") "thinking" (get :subject))))
      ("toolStarted"
       (pollux-session--doing session (pollux-session--first-line (get :title))))
      ("toolEnded" (pollux-session--doing session "thinking"))
      ("requestRetried"
       (setf (pollux-session-retry session) event)
       (pollux-session--doing session "waiting to retry"))
      ("retryStarted"
       (setf (pollux-session-retry session) nil)
       (pollux-session--doing session "thinking"))
      ("modelChanged"
       (setf (pollux-session-model session) (get :to)
             (pollux-session-retry session) nil))
      ("modelChosen" (setf (pollux-session-model session) (get :model)))
      ("answerEnded"
       (setf (pollux-session-tokens session) (plist-get (get :usage) :total)))
      ((or "editProposed" "approvalRequested") (pollux-session--ask session event))
      ("editDecided" (pollux-session--without-question session (get :proposal)))
      ("approvalEnded" (pollux-session--without-question session (get :approval)))
      ("modeChanged" (setf (pollux-session-mode session) (get :mode)))
      ("todos" (setf (pollux-session-todos session) (append (get :todos) nil)))
      ("topic" (when (get :title) (setf (pollux-session-title session) (get :title))))
      ("rewound"
       (setf (pollux-session-last-turn session) (and (> (get :turn) 1) (1- (get :turn)))
             (pollux-session-turn session) nil
             (pollux-session-activity session) nil
             (pollux-session-retry session) nil
             (pollux-session-todos session) nil
             (pollux-session-questions session) nil))
      ("opened" (setf (pollux-session-opened session) t))
      ("turnEnded"
       (setf (pollux-session-turn session) nil
             (pollux-session-interrupted session) (equal (get :outcome) "interrupted")
             (pollux-session-retry session) nil
             (pollux-session-activity session) nil
             (pollux-session-questions session) nil)))))

;;; Following

(defun pollux-session--tell (session events)
  "Fold EVENTS into SESSION and show them."
  (mapc (lambda (event)
          (pollux-session-apply session event)
          (run-hook-with-args 'pollux-session-event-functions event session))
        events)
  (run-hook-with-args 'pollux-session-settled-functions session)
  (setf (pollux-session-live session) t))

(defun pollux-session--heard (server params)
  "SERVER says in PARAMS what happened."
  (let ((session pollux-session-current))
    (when (and session
               (not (pollux-session-deaf session))
               (eq server (pollux-session-server session))
               (equal (plist-get params :session) (pollux-session-id session)))
      (pollux-session--tell (pollux-session--again session (plist-get params :events))
                            (plist-get params :events)))))

(defun pollux-session--again (session events)
  "SESSION, or an empty one in its place if EVENTS begin at its start again.
A new host shows a session from its first event."
  (if (not (and (pollux-session-opened session)
                (cl-some (lambda (event) (equal (plist-get event :kind) "opened")) events)))
      session
    (let ((anew (pollux-session--make (pollux-session-server session) (pollux-session-id session))))
      (setf (pollux-session-deaf anew) nil)
      (setq pollux-session-current anew)
      (run-hooks 'pollux-session-reset-hook)
      anew)))

(defun pollux-session--follow (server id newness)
  "Show the session ID of SERVER from its first event on.
NEWNESS is `new' or `old'."
  (pollux-session--unfollow)
  (let ((session (pollux-session--make server id)))
    (setf (pollux-session-live session) (eq newness 'new))
    (setq pollux-session-current session)
    (run-hooks 'pollux-session-reset-hook)
    (pollux-request
     server 'pollux/sessionUnfollow (list :session id)
     (lambda (_)
       (when (eq session pollux-session-current)
         (setf (pollux-session-deaf session) nil)
         (pollux-request server 'pollux/sessionFollow (list :session id :cursor 0)))))))

(defun pollux-session--unfollow ()
  "Hear no more of the session that is shown."
  (let ((session pollux-session-current))
    (when (and session (pollux-server-live-p (pollux-session-server session)))
      (pollux-request (pollux-session-server session) 'pollux/sessionUnfollow
                      (list :session (pollux-session-id session)) nil #'ignore))))

(defun pollux-session--with (act)
  "Call ACT once there is a session; start or resume one if there is none."
  (let* ((session pollux-session-current)
         (server (if session (pollux-session-server session) (pollux-server-current))))
    (cond
     ((null session)
      (pollux-request server 'pollux/sessionStart nil
                      (lambda (result)
                        (pollux-session--follow server (plist-get result :session) 'new)
                        (funcall act))))
     ((pollux-session-lost session)
      (pollux-session-resume (pollux-session-id session) act))
     (t (funcall act)))))

(defun pollux-session--send (text method)
  "Send TEXT by the request that METHOD names.
What was not sent is written again."
  (pollux-session--with
   (lambda ()
     (let ((session pollux-session-current))
       (pollux-request (pollux-session-server session) (funcall method)
                       (list :session (pollux-session-id session) :text text)
                       nil
                       (lambda (problem _)
                         (pollux-say "%s" problem)
                         (run-hook-with-args 'pollux-session-unsent-functions text)))))))

(defun pollux-session--ask-server (method &rest more)
  "Ask METHOD about the current session, with the properties MORE."
  (unless pollux-session-current (user-error "Pollux: there is no session yet"))
  (pollux-request (pollux-session-server pollux-session-current) method
                  (append (list :session (pollux-session-id pollux-session-current)) more)))

;;; What a person does

(defun pollux-session-queue-prompt (text)
  "Say TEXT; while a turn runs it waits."
  (pollux-session--send text (lambda () 'pollux/promptQueue)))

(defun pollux-session-steer (text)
  "Say TEXT into the running turn; without one it is an ordinary prompt."
  (pollux-session--send
   text
   (lambda ()
     (if (pollux-session-turn pollux-session-current) 'pollux/promptSteer 'pollux/promptQueue))))

(defun pollux-session-unqueue (id)
  "Take back the prompt ID, which waits."
  (pollux-session--ask-server 'pollux/promptUnqueue :id id))

(defun pollux-session-stop-call (call)
  "Stop CALL only; the turn goes on."
  (pollux-session--ask-server 'pollux/callStop :call call))

;;;###autoload
(defun pollux-stop ()
  "Stop the running turn."
  (interactive)
  (if (and pollux-session-current (pollux-session-turn pollux-session-current))
      (pollux-session--ask-server 'pollux/turnCancel)
    (pollux-say "nothing is running")))

(defun pollux-retry ()
  "Send what waits to be retried now, or the last prompt again."
  (interactive)
  (let ((session pollux-session-current))
    (cond
     ((and session (pollux-session-retry session))
      (pollux-session--ask-server 'pollux/retryNow))
     ((and session (pollux-session-last-prompt session) (not (pollux-session-turn session)))
      (pollux-session-queue-prompt (pollux-session-last-prompt session))))))

(defun pollux-continue ()
  "Continue the turn that was interrupted."
  (interactive)
  (let ((session pollux-session-current))
    (if (and session (pollux-session-interrupted session) (not (pollux-session-turn session)))
        (pollux-session-queue-prompt "Continue where you were interrupted.")
      (pollux-say "no turn was interrupted"))))

;;;###autoload
(defun pollux-set-mode (mode)
  "Let the agent do as much without asking as MODE says."
  (interactive
   (list (let ((completion-extra-properties
                (list :annotation-function
                      (lambda (mode) (concat "  " (cdr (assoc mode pollux-modes)))))))
           (completing-read "How much may Pollux do? " pollux-modes nil t))))
  (pollux-session--with
   (lambda () (pollux-session--ask-server 'pollux/modeSet :mode mode))))

(defun pollux-session-answer (question answer)
  "Give ANSWER to QUESTION, once: a key that is held down says the same again."
  (unless (plist-get question :answered)
    (nconc question (list :answered t))
    (pollux-session--ask-server 'pollux/approvalAnswer
                                :approval (pollux-session-number question) :answer answer)))

;;;###autoload
(defun pollux-new ()
  "Leave the current session; the next prompt starts another one."
  (interactive)
  (pollux-session--unfollow)
  (setq pollux-session-current nil)
  (run-hooks 'pollux-session-reset-hook))

(defun pollux-session--server ()
  "The server of the current session, or of what the person looks at."
  (if pollux-session-current
      (pollux-session-server pollux-session-current)
    (pollux-server-current)))

(defun pollux-session-list (done)
  "Hand the recorded sessions of the current folder to DONE, the newest first."
  (pollux-request (pollux-session--server) 'pollux/sessionList nil
                  (lambda (result)
                    (funcall done (sort (append (plist-get result :sessions) nil)
                                        (lambda (one other)
                                          (> (plist-get one :updated)
                                             (plist-get other :updated))))))))

(defun pollux-session-resume (id &optional act)
  "Show the recorded session ID, then call ACT."
  (let ((server (pollux-session--server)))
    (pollux-request server 'pollux/sessionResume (list :session id)
                    (lambda (result)
                      (pollux-session--follow server (plist-get result :session) 'old)
                      (when act (funcall act))))))

(defun pollux-session-delete (id)
  "Remove the recorded session ID."
  (let ((server (pollux-session--server)))
    (when (and pollux-session-current (equal id (pollux-session-id pollux-session-current)))
      (pollux-new))
    (pollux-request server 'pollux/sessionDelete (list :session id)
                    (lambda (_) (pollux-say "deleted")))))

(defun pollux-session-replay ()
  "Build the view again from the first event."
  (let ((session pollux-session-current))
    (when (and session (not (pollux-session-lost session)))
      (pollux-session--follow (pollux-session-server session) (pollux-session-id session) 'old))))

(defun pollux-session--server-ended (server)
  "SERVER has ended: the record of the session is kept by the host."
  (let ((session pollux-session-current))
    (when (and session (eq server (pollux-session-server session)))
      (setf (pollux-session-lost session) t)
      (if (pollux-session-turn session)
          (pollux-session--tell
           session
           '((:kind "refused"
              :reason "the server has ended; the next prompt starts it again and goes on here")
             (:kind "turnEnded" :outcome "completed" :message "")))
        (run-hook-with-args 'pollux-session-settled-functions session)))))

(setf (alist-get 'pollux/sessionEvents pollux-server-handlers) #'pollux-session--heard)
(add-hook 'pollux-server-ended-functions #'pollux-session--server-ended)

(provide 'pollux-session)
;;; pollux-session.el ends here
