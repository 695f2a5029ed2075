;;; pollux-review.el --- Deciding about the agent's edits  -*- lexical-binding: t; -*-

;; SPDX-License-Identifier: Apache-2.0

;;; Commentary:

;; The server makes the decisions; what it answers is said in a line.

;;; Code:

(require 'cl-lib)
(require 'tabulated-list)
(require 'pollux-chat)
(require 'pollux-hunks)
(require 'pollux-session)

(defconst pollux-review--stale -32801
  "The code of a refusal: the hunk has changed since it was drawn.")

(defun pollux-review--told (result)
  "Say what RESULT says."
  (when (plist-get result :message) (pollux-say "%s" (plist-get result :message))))

(defun pollux-review--failed (text code)
  "Say TEXT, unless CODE says that looking again is enough."
  (pollux-say "%s" (if (eql code pollux-review--stale)
                       "this has just changed: look again and decide"
                     text)))

(defun pollux-review--run (command &optional argument server done)
  "Have SERVER execute COMMAND with ARGUMENT, and DONE or a message follow."
  (pollux-execute (or server (pollux-server-current)) command argument
                  (or done #'pollux-review--told) #'pollux-review--failed))

(defun pollux-review--here (command)
  "Execute COMMAND on the hunk at point."
  (let ((found (pollux-hunks-here)))
    (unless found (user-error "Pollux: there is no hunk in this line"))
    (pollux-review--run command (car found) pollux-server-of-buffer)))

(defun pollux-review--file ()
  "The argument that names this file."
  (unless pollux-buffers--path (user-error "Pollux does not know this file"))
  (list :uri (pollux-uri pollux-buffers--path)))

(defmacro pollux-review--define (name command argument about)
  "Define NAME, which executes COMMAND with ARGUMENT; ABOUT is its docstring."
  (declare (indent 2) (doc-string 4))
  `(defun ,name ()
     ,about
     (interactive)
     ,(if (eq argument 'hunk)
          `(pollux-review--here ,command)
        `(pollux-review--run ,command ,argument))))

(pollux-review--define pollux-keep "pollux.hunk.keep" hunk
  "Keep the hunk at point.")
(pollux-review--define pollux-reject "pollux.hunk.reject" hunk
  "Reject the hunk at point.")
(pollux-review--define pollux-keep-file "pollux.file.keep" (pollux-review--file)
  "Keep all hunks of this file.")
(pollux-review--define pollux-reject-file "pollux.file.reject" (pollux-review--file)
  "Reject all hunks of this file.")
(pollux-review--define pollux-keep-all "pollux.all.keep" nil
  "Keep everything.")
(pollux-review--define pollux-reject-all "pollux.all.reject" nil
  "Reject everything.")
(pollux-review--define pollux-mine "pollux.conflict.mine" hunk
  "End the conflict at point with your own lines.")
(pollux-review--define pollux-theirs "pollux.conflict.theirs" hunk
  "End the conflict at point with the agent's lines.")
(pollux-review--define pollux-undo "pollux.review.undo" nil
  "Undo the last decision.")
(pollux-review--define pollux-redo "pollux.review.redo" nil
  "Redo the last decision.")

;;; Moving

(defun pollux-review--visit (path line)
  "Go to LINE, counted from zero, of the file PATH in this window."
  (unless (equal path pollux-buffers--path)
    ;; A window of the chat or a list stays what it is.
    (if (or pollux-buffers--path (not (window-dedicated-p)))
        (find-file path)
      (find-file-other-window path)))
  (push-mark nil t)
  (widen)
  (goto-char (point-min))
  (forward-line line)
  (pollux-hunks--hint))

(defun pollux-review--jump (result)
  "Go where RESULT says."
  (when (plist-get result :uri)
    (pollux-review--visit (pollux-path (plist-get result :uri)) (plist-get result :line)))
  (pollux-review--told result))

(defun pollux-review--go (command)
  "Go where COMMAND says."
  (let ((buffer (current-buffer)))
    (pollux-review--run
     command
     (list :uri (pollux-uri (or pollux-buffers--path default-directory))
           :line (if pollux-buffers--path
                     (plist-get (pollux-buffers-position (point)) :line)
                   0))
     nil
     (lambda (result)
       ;; Whoever has gone elsewhere meanwhile is not fetched back.
       (if (eq buffer (window-buffer (selected-window)))
           (with-current-buffer buffer (pollux-review--jump result))
         (pollux-review--told result))))))

(defun pollux-next ()
  "Go to the next hunk, in any file."
  (interactive)
  (pollux-review--go "pollux.hunk.next"))

(defun pollux-previous ()
  "Go to the hunk before, in any file."
  (interactive)
  (pollux-review--go "pollux.hunk.previous"))

;;; Comments

(defun pollux-comment (text)
  "Note TEXT for the model beside the line of point."
  (interactive "sComment: ")
  (unless (string= text "")
    (pollux-review--run "pollux.comment.add"
                        (append (pollux-review--file)
                                (list :line (plist-get (pollux-buffers-position (point)) :line)
                                      :text text)))))

(defun pollux-send-comments ()
  "Send all comments to the model as one prompt."
  (interactive)
  (pollux-review--run "pollux.comments.send"
                      (and pollux-session-current
                           (list :session (pollux-session-id pollux-session-current)))))

;;; Turns

(defun pollux-review--turn (command number done)
  "Execute COMMAND on the turn NUMBER, or the last one, and call DONE."
  (let* ((session (or pollux-session-current (user-error "Pollux: there is no session yet")))
         (turn (or number (pollux-session-last-turn session)
                   (user-error "Pollux: there is no turn yet"))))
    (pollux-review--run command (list :session (pollux-session-id session) :turn turn)
                        (pollux-session-server session) done)))

(defun pollux-undo-turn (&optional number)
  "Take back what the last turn, or the turn NUMBER, did to files."
  (interactive "P")
  (pollux-review--turn "pollux.turn.undo" number nil))

(defun pollux-redo-turn (&optional number)
  "Do again what the last turn, or the turn NUMBER, did to files."
  (interactive "P")
  (pollux-review--turn "pollux.turn.redo" number nil))

(defun pollux-rewind (&optional number)
  "Take files and chat back to before the last prompt, or the prompt NUMBER.
The prompt comes back to be written anew."
  (interactive "P")
  (pollux-review--turn "pollux.rewind" number
                       (lambda (result)
                         (pollux-review--told result)
                         (when (plist-get result :prompt)
                           (pollux-chat-write (plist-get result :prompt))))))

;;; Lists

(defvar-local pollux-review--server nil "The server whose hunks are listed.")
(defvar-local pollux-review--shows 'pending "Whether `pending' or `rejected' hunks are listed.")

(defun pollux-review--first (hunk)
  "The first line of HUNK, with a sign for what it does."
  (let ((added (car (pollux-words-lines (plist-get hunk :added))))
        (removed (car (pollux-words-lines (plist-get hunk :removed)))))
    (concat (cond ((null added) "- ") ((null removed) "+ ") (t "~ "))
            (string-trim (or added removed "")))))

(defun pollux-review--entries (review)
  "The rows for all pending hunks of REVIEW."
  (cl-mapcan
   (lambda (file)
     (mapcar (lambda (hunk)
               (let ((line (plist-get (plist-get (plist-get hunk :range) :start) :line)))
                 (list (list :uri (plist-get file :uri) :revision (plist-get file :revision)
                             :index (plist-get hunk :index) :line line)
                       (vector (plist-get hunk :state) (plist-get file :path)
                               (number-to-string (1+ line)) (pollux-review--first hunk)))))
             (plist-get file :hunks)))
   (append (plist-get review :files) nil)))

(defun pollux-review--rejected (review)
  "The rows for all rejected hunks of REVIEW."
  (mapcar (lambda (hunk)
            (let ((line (plist-get hunk :line)))
              (list (list :uri (plist-get hunk :uri) :id (plist-get hunk :id) :line line)
                    (vector "rejected" (plist-get hunk :path)
                            (number-to-string (1+ line)) (pollux-review--first hunk)))))
          (append (plist-get review :rejected) nil)))

(defun pollux-review--refresh (buffer)
  "List in BUFFER what there is now."
  (when (buffer-live-p buffer)
    (with-current-buffer buffer
      (pollux-request pollux-review--server 'pollux/review nil
                      (lambda (review)
                        (when (buffer-live-p buffer)
                          (with-current-buffer buffer
                            (setq tabulated-list-entries
                                  (if (eq pollux-review--shows 'pending)
                                      (pollux-review--entries review)
                                    (pollux-review--rejected review)))
                            (tabulated-list-print t t))))))))

(defun pollux-review--decide (command)
  "Execute COMMAND on the hunk of this row."
  (let ((row (or (tabulated-list-get-id) (user-error "Pollux: no hunk here")))
        (buffer (current-buffer)))
    (pollux-review--run command
                        (if (plist-get row :id)
                            (list :id (plist-get row :id))
                          (list :uri (plist-get row :uri) :revision (plist-get row :revision)
                                :index (plist-get row :index)))
                        pollux-review--server
                        (lambda (result)
                          (pollux-review--told result)
                          (pollux-review--refresh buffer)))))

(defun pollux-review-keep ()
  "Keep the hunk of this row, or apply it again if it was rejected."
  (interactive)
  (pollux-review--decide
   (if (eq pollux-review--shows 'pending) "pollux.hunk.keep" "pollux.hunk.reapply")))

(defun pollux-review-reject ()
  "Reject the hunk of this row."
  (interactive)
  (when (eq pollux-review--shows 'pending) (pollux-review--decide "pollux.hunk.reject")))

(defun pollux-review-visit ()
  "Go to the hunk of this row."
  (interactive)
  (let ((row (or (tabulated-list-get-id) (user-error "Pollux: no hunk here"))))
    (find-file-other-window (pollux-path (plist-get row :uri)))
    (widen)
    (goto-char (point-min))
    (forward-line (plist-get row :line))
    (pollux-hunks--hint)))

(defun pollux-review-switch ()
  "Show the rejected hunks instead of the pending ones, or the other way."
  (interactive)
  (setq pollux-review--shows (if (eq pollux-review--shows 'pending) 'rejected 'pending))
  (pollux-review--refresh (current-buffer)))

(defvar pollux-review-mode-map
  (let ((map (make-sparse-keymap)))
    (define-key map (kbd "RET") #'pollux-review-visit)
    (define-key map "k" #'pollux-review-keep)
    (define-key map "r" #'pollux-review-reject)
    (define-key map "t" #'pollux-review-switch)
    (define-key map "u" #'pollux-undo)
    (define-key map "U" #'pollux-redo)
    map)
  "Keys of the list of hunks.")

(define-derived-mode pollux-review-mode tabulated-list-mode "Pollux review"
  "Lists the hunks that wait for a decision, or those that were rejected.

\\{pollux-review-mode-map}"
  (setq tabulated-list-format [("State" 9 t) ("File" 32 t)
                               ("Line" 6 (lambda (one other)
                                           (< (string-to-number (aref (cadr one) 2))
                                              (string-to-number (aref (cadr other) 2))))
                                :right-align t)
                               ("Change" 0 nil)])
  (setq-local revert-buffer-function (lambda (&rest _) (pollux-review--refresh (current-buffer))))
  (tabulated-list-init-header))

(defun pollux-review--open (shows)
  "List the hunks that SHOWS names."
  (let ((server (pollux-server-current)))
    (with-current-buffer (get-buffer-create "*pollux review*")
      (pollux-review-mode)
      (setq pollux-review--server server
            pollux-review--shows shows)
      (pollux-review--refresh (current-buffer))
      (pop-to-buffer (current-buffer)))))

(defun pollux-review ()
  "List all hunks that wait for a decision."
  (interactive)
  (pollux-review--open 'pending))

(defun pollux-rejected ()
  "List the hunks that were rejected; they can be applied again."
  (interactive)
  (pollux-review--open 'rejected))

(defun pollux-review--hunks-changed ()
  "Keep an open list up to date."
  (let ((buffer (get-buffer "*pollux review*")))
    (when (and buffer (get-buffer-window buffer t)
               (pollux-server-live-p (buffer-local-value 'pollux-review--server buffer)))
      (pollux-review--refresh buffer))))

(add-hook 'pollux-hunks-changed-hook #'pollux-review--hunks-changed)

(provide 'pollux-review)
;;; pollux-review.el ends here
