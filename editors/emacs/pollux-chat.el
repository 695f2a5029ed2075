;;; pollux-chat.el --- The chat with Pollux  -*- lexical-binding: t; -*-

;; SPDX-License-Identifier: Apache-2.0

;;; Commentary:

;; Shows a session: one function for each kind of event.  Only what a person
;; does opens a window or moves a cursor.

;;; Code:

(require 'cl-lib)
(require 'ring)
(require 'text-property-search)
(require 'pollux-buffers)
(require 'pollux-cards)
(require 'pollux-questions)
(require 'pollux-session)
(require 'pollux-transcript)
(require 'pollux-words)

(defcustom pollux-chat-display-action
  '((display-buffer-reuse-window display-buffer-in-side-window)
    (side . right)
    (window-width . 0.4))
  "Where the chat is shown, as an action for `display-buffer'."
  :type 'sexp
  :group 'pollux)

(defconst pollux-chat--name "*pollux*")
(defconst pollux-chat--seen-seconds 0.6
  "A key that comes sooner was meant for something else than this question.")

(defvar-local pollux-chat--recalled nil "Which earlier prompt is shown.")
(defvar pollux-chat--timer nil "Counts the seconds of the activity line.")
(defvar pollux-chat--history (make-ring 100) "Earlier prompts.")

(defun pollux-chat-buffer ()
  "The buffer of the chat, if there is one."
  (get-buffer pollux-chat--name))

;;; The view of a session

(defvar pollux-chat--batch nil
  "Events of the message that is being read, the latest first.")

(defun pollux-chat--joined (events)
  "EVENTS, with what a command prints in one go as one."
  (let (joined)
    (dolist (event events)
      (let ((last (car joined)))
        (if (and last
                 (equal (plist-get event :kind) "toolPrinted")
                 (equal (plist-get last :kind) "toolPrinted")
                 (equal (plist-get event :call) (plist-get last :call)))
            (setcar joined (list :kind "toolPrinted" :call (plist-get event :call)
                                 :text (concat (plist-get last :text) (plist-get event :text))))
          (push event joined))))
    (nreverse joined)))

(defun pollux-chat--event (event session)
  "Hear EVENT of SESSION."
  (push event pollux-chat--batch)
  (when (and (pollux-session-live session)
             (not (get-buffer-window pollux-chat--name 'visible)))
    (pcase (plist-get event :kind)
      ("approvalRequested"
       (pollux-say "asks: %s  (M-x pollux-approve, pollux-deny)"
                   (pollux-words-line (plist-get event :title))))
      ("editProposed"
       (pollux-say "asks to edit %s  (M-x pollux-approve, pollux-deny)" (plist-get event :path))))))

(defun pollux-chat--retrying (event width)
  "The lines about the request of EVENT, which waits, in WIDTH columns."
  (let* ((at (plist-get event :retryAtMs))
         (when (if at
                   (format "Retrying in %d s" (max 0 (ceiling (- (/ at 1000.0) (float-time)))))
                 "Waiting to retry")))
    (list (format "↻ %s (attempt %d of %d failed)" when
                  (plist-get event :attempt) (plist-get event :attempts))
          (concat "  " (pollux-words-line (plist-get event :reason) (max 20 (- width 4))))
          "  C-c C-r retry now · C-c C-k stop")))

(defun pollux-chat--tail (session)
  "The lines below the page: SESSION's steps, what waits, and what happens now."
  (let* ((window (get-buffer-window nil t))
         (width (if (and window (not noninteractive)) (window-body-width window) 80))
         (open (cl-remove-if (lambda (todo) (member (plist-get todo :status)
                                                    '("completed" "cancelled")))
                             (pollux-session-todos session)))
         (running (pollux-session-turn session))
         (waits (pollux-session-questions session))
         (seconds (floor (- (float-time) (or (pollux-session-since session) (float-time))))))
    (append
     (when (or running open)
       (pollux-words-todos (pollux-session-todos session) width))
     (mapcar (lambda (prompt)
               (propertize (concat "⧗ " (pollux-words-line (cdr prompt) (max 20 (- width 4))))
                           'pollux-queued (car prompt) 'font-lock-face 'pollux-dim))
             (pollux-session-queue session))
     (when (and running (not waits) (pollux-session-retry session))
       (mapcar (lambda (line) (propertize line 'font-lock-face 'pollux-dim))
               (pollux-chat--retrying (pollux-session-retry session) width)))
     (when (and running (or waits (not (pollux-session-retry session))))
       (list (propertize
              (if waits
                  "∙ waiting for your answer"
                (concat "∙ " (pollux-words-line (or (pollux-session-activity session) "thinking")
                                                (max 20 (- width 12)))
                        (and (> seconds 0) (format " · %d s" seconds))))
              'font-lock-face (if waits 'pollux-ask 'pollux-dim)))))))

(defun pollux-chat--tick (session)
  "Count seconds while SESSION has a turn, and only then."
  (cond ((and (pollux-session-turn session) (not pollux-chat--timer))
         (setq pollux-chat--timer
               (run-with-timer 1 1 (lambda ()
                                     (when (and pollux-session-current (pollux-chat-buffer))
                                       (with-current-buffer (pollux-chat-buffer)
                                         (pollux-transcript-set-tail
                                          (pollux-chat--tail pollux-session-current))))))))
        ((not (pollux-session-turn session)) (pollux-chat--stop-timer))))

(defun pollux-chat--stop-timer ()
  "Count no more."
  (when pollux-chat--timer
    (cancel-timer pollux-chat--timer)
    (setq pollux-chat--timer nil)))

(defun pollux-chat--settled (session)
  "Show what was heard of SESSION."
  (let ((events (pollux-chat--joined (reverse pollux-chat--batch))))
    (setq pollux-chat--batch nil)
    (when (and (pollux-session-live session)
               (cl-find "toolEnded" events :test #'equal
                        :key (lambda (event) (plist-get event :kind))))
      (pollux-buffers-reload (pollux-session-server session)))
    (when (pollux-chat-buffer)
      (with-current-buffer (pollux-chat-buffer)
        (pollux-transcript-writing
          (mapc #'pollux-cards-show events))
        (pollux-transcript-set-tail (pollux-chat--tail session))
        (force-mode-line-update)))
    (pollux-chat--tick session)))

(defun pollux-chat--welcome ()
  "What an empty chat says."
  (pollux-transcript-writing
    (pollux-cards-note
     "Write below and press RET. Pollux sees the files you have open, as they are on the screen.
It asks before it runs a command that may change something, and each edit can be
kept or rejected."))
  (let ((buffer (current-buffer)))
    (pollux-session-list
     (lambda (sessions)
       (when (and sessions (not pollux-session-current) (buffer-live-p buffer))
         (with-current-buffer buffer
           (pollux-transcript-writing
             (pollux-cards-note "Before:")
             (setq pollux-transcript--kind 'card)
             (dolist (line (seq-take sessions 5))
               (let ((id (plist-get line :session)))
                 (pollux-cards-card "›" (pollux-words-line (plist-get line :title))
                                    :suffix (pollux-words-ago (plist-get line :updated))
                                    :act (lambda () (pollux-session-resume id))))))))))))

(defun pollux-chat--reset ()
  "Begin anew: another session is shown, or none."
  (setq pollux-chat--batch nil)
  (pollux-chat--stop-timer)
  (when (pollux-chat-buffer)
    (with-current-buffer (pollux-chat-buffer)
      (pollux-cards-forget)
      (pollux-transcript-clear)
      (pollux-transcript-set-tail nil)
      (unless pollux-session-current (pollux-chat--welcome)))))

(add-hook 'pollux-session-event-functions #'pollux-chat--event)
(add-hook 'pollux-session-settled-functions #'pollux-chat--settled)
(add-hook 'pollux-session-reset-hook #'pollux-chat--reset)
(add-hook 'pollux-session-unsent-functions #'pollux-chat-write)

;;; What the person does in the chat

(defun pollux-chat--block ()
  "The block at point."
  (get-text-property (point) 'pollux-block))

(defun pollux-chat-toggle ()
  "Unfold or fold what point is on."
  (interactive)
  (let ((block (pollux-chat--block)))
    (if (not (and block (pollux-block-detail block)
                  (or (pollux-block-open block) (funcall (pollux-block-detail block) block))))
        (pollux-say "nothing to unfold here")
      (setf (pollux-block-open block) (not (pollux-block-open block)))
      (let ((start (car (pollux-transcript--extent block))))
        (pollux-transcript-writing (pollux-transcript-redraw block))
        (goto-char start)))))

(defun pollux-chat--answer (key block)
  "Answer the question of BLOCK with KEY."
  (let ((question (pollux-block-question block)))
    (cond ((not (assoc key (pollux-words-keys question)))
           (pollux-say "%s is no answer here" key))
          ((< (- (float-time) (pollux-block-born block)) pollux-chat--seen-seconds)
           (pollux-say "this question has just come: look first"))
          (t (pollux-questions-press key question)
             ;; The next one appears at the end.
             (goto-char (point-max))))))

(defun pollux-chat-press ()
  "Answer the question at point with the key that was pressed."
  (interactive)
  (pollux-chat--answer (this-command-keys) (pollux-chat--block)))

(defun pollux-chat-act ()
  "Do what point is on: press, answer yes, open, unfold."
  (interactive)
  (let ((block (pollux-chat--block)))
    (cond ((null block) (goto-char (point-max)))
          ((pollux-block-question block)
           (pollux-chat--answer (or (get-text-property (point) 'pollux-key) "y") block))
          ((pollux-block-act block) (funcall (pollux-block-act block)))
          (t (pollux-chat-toggle)))))

(defun pollux-chat-click (event)
  "Do what was clicked on with EVENT."
  (interactive "e")
  (mouse-set-point event)
  (pollux-chat-act))

(defun pollux-chat-visit ()
  "Go to the file that the card at point has edited."
  (interactive)
  (let* ((block (pollux-chat--block))
         (edit (and block (or (pollux-block-edit block) (pollux-block-question block)))))
    (if (not (plist-get edit :path))
        (pollux-say "no file here")
      (let ((hunks (plist-get edit :hunks)))
        (find-file-other-window
         (expand-file-name (plist-get edit :path)
                           (pollux-server-root (pollux-session-server pollux-session-current))))
        (goto-char (point-min))
        (when (> (length hunks) 0) (forward-line (plist-get (elt hunks 0) :line)))))))

(defun pollux-chat-open-output ()
  "Show all of what the card at point did in a buffer."
  (interactive)
  (let* ((block (pollux-chat--block))
         (detail (and block (pollux-block-detail block))))
    (if (not detail)
        (pollux-say "nothing to open here")
      (let ((lines (funcall detail block)) (edit (pollux-block-edit block)))
        (with-current-buffer (get-buffer-create "*pollux output*")
          (let ((inhibit-read-only t))
            (erase-buffer)
            (insert (mapconcat #'pollux-cards-clean lines "\n") "\n")
            (goto-char (point-min)))
          (if edit (diff-mode) (special-mode))
          (setq buffer-read-only t)
          (pop-to-buffer (current-buffer)))))))

(defun pollux-chat-unqueue ()
  "Take back the prompt that waits at point."
  (interactive)
  (let ((id (get-text-property (point) 'pollux-queued)))
    (if id (pollux-session-unqueue id) (pollux-say "no prompt waits here"))))

(defun pollux-chat-stop-call ()
  "Stop the command or the sub-agent at point; the turn goes on."
  (interactive)
  (let ((block (pollux-chat--block)))
    (if (and block (pollux-block-call block) (equal (pollux-block-icon block) "○"))
        (pollux-session-stop-call (pollux-block-call block))
      (pollux-say "nothing runs here"))))

(defun pollux-chat-go-to-question ()
  "Go to the question that has waited longest."
  (interactive)
  (let* ((question (or (pollux-questions-oldest) (user-error "Pollux: nothing waits for an answer")))
         (buffer (pollux-chat-open)))
    (select-window (get-buffer-window buffer t))
    (let ((block (alist-get (pollux-session-number question) pollux-cards-questions)))
      (when block (goto-char (pollux-block-start block))))))

(defun pollux-chat-next-prompt (&optional backward)
  "Go to the next prompt, or with BACKWARD to the one before."
  (interactive)
  (let ((found (save-excursion
                 (if backward
                     (text-property-search-backward 'pollux-prompt t t)
                   (text-property-search-forward 'pollux-prompt t t t)))))
    (when found (goto-char (prop-match-beginning found)))))

(defun pollux-chat-previous-prompt ()
  "Go to the prompt before."
  (interactive)
  (pollux-chat-next-prompt 'backward))

(defun pollux-chat--send (how)
  "Send what is written with the function HOW."
  (let ((text (string-trim (pollux-transcript-input))))
    (unless (string= text "")
      (pollux-transcript-set-input "")
      (unless (and (not (ring-empty-p pollux-chat--history))
                   (equal text (ring-ref pollux-chat--history 0)))
        (ring-insert pollux-chat--history text))
      (setq pollux-chat--recalled nil)
      (funcall how text))))

(defun pollux-chat-queue ()
  "Send what is written; while a turn runs it waits."
  (interactive)
  (pollux-chat--send #'pollux-session-queue-prompt))

(defun pollux-chat-steer ()
  "Say what is written into the running turn."
  (interactive)
  (pollux-chat--send #'pollux-session-steer))

(defun pollux-chat-recall (&optional step)
  "Write the prompt that was sent before; STEP says how much earlier."
  (interactive)
  (unless (ring-empty-p pollux-chat--history)
    (let ((place (+ (or pollux-chat--recalled -1) (or step 1))))
      (cond ((< place 0)
             (setq pollux-chat--recalled nil)
             (pollux-transcript-set-input ""))
            ((< place (ring-length pollux-chat--history))
             (setq pollux-chat--recalled place)
             (pollux-transcript-set-input (ring-ref pollux-chat--history place)))))))

(defun pollux-chat-recall-later ()
  "Write the prompt that was sent after the one that is shown."
  (interactive)
  (pollux-chat-recall -1))

(defun pollux-chat-write (text)
  "Put TEXT there to be changed and sent, unless something is being written."
  (when (pollux-chat-buffer)
    (with-current-buffer (pollux-chat-buffer)
      (when (string= (pollux-transcript-input) "") (pollux-transcript-set-input text)))))

;;; The mode

(let ((map pollux-transcript-map))
  (define-key map (kbd "TAB") #'pollux-chat-toggle)
  (define-key map (kbd "RET") #'pollux-chat-act)
  (define-key map [mouse-2] #'pollux-chat-click)
  (define-key map "o" #'pollux-chat-open-output)
  (define-key map "v" #'pollux-chat-visit)
  (define-key map "x" #'pollux-chat-unqueue)
  (define-key map "X" #'pollux-chat-stop-call)
  (define-key map "q" #'quit-window))

(dolist (key '("y" "s" "w" "A" "n" "r"))
  (define-key pollux-transcript-question-map key #'pollux-chat-press))

(defvar pollux-chat-mode-map
  (let ((map (make-sparse-keymap)))
    (define-key map (kbd "RET") #'pollux-chat-queue)
    (define-key map (kbd "C-j") #'newline)
    (define-key map (kbd "S-<return>") #'newline)
    (define-key map (kbd "C-<return>") #'pollux-chat-steer)
    (define-key map (kbd "C-c C-s") #'pollux-chat-steer)
    (define-key map (kbd "C-c C-k") #'pollux-stop)
    (define-key map (kbd "C-c C-y") #'pollux-approve)
    (define-key map (kbd "C-c C-n") #'pollux-deny)
    (define-key map (kbd "C-c C-q") #'pollux-chat-go-to-question)
    (define-key map (kbd "C-c C-r") #'pollux-retry)
    (define-key map (kbd "C-c C-e") #'pollux-continue)
    (define-key map (kbd "C-c C-m") #'pollux-set-mode)
    (define-key map (kbd "C-M-n") #'pollux-chat-next-prompt)
    (define-key map (kbd "C-M-p") #'pollux-chat-previous-prompt)
    (define-key map (kbd "M-p") #'pollux-chat-recall)
    (define-key map (kbd "M-n") #'pollux-chat-recall-later)
    map)
  "Keys of the chat.")

(defconst pollux-chat--keywords
  '(("^```\\(?:.\\|\n\\)*?\n```$" 0 'pollux-code t)
    ("^#+ .*$" . 'bold)
    ("\\*\\*\\([^*\n]+\\)\\*\\*" 1 'bold append)
    ("`\\([^`\n]+\\)`" 1 'pollux-code))
  "How answers look: Markdown, as far as a glance needs it.")

(defun pollux-chat--header ()
  "The line above the chat."
  (let* ((session pollux-session-current)
         (right (and session
                     (string-join
                      (delq nil
                            (list (and (pollux-session-questions session)
                                       (propertize "asks" 'face 'pollux-ask))
                                  (and (pollux-session-turn session) "running")
                                  (pollux-session-model session)
                                  (pollux-session-mode session)
                                  (and (pollux-session-tokens session)
                                       (> (pollux-session-tokens session) 0)
                                       (pollux-words-tokens (pollux-session-tokens session)))))
                      " · ")))
         (title (or (and session (pollux-session-title session)) "New session"))
         (room (max 10 (- (window-width) (string-width (or right "")) 4))))
    (list (propertize (string-replace "%" "%%" (concat " " (pollux-words-line title room)))
                      'face 'bold)
          (propertize " " 'display `(space :align-to (- right ,(1+ (string-width (or right ""))))))
          (string-replace "%" "%%" (or right "")))))

(defun pollux-chat--footer ()
  "The line below the chat: what the keys do now."
  (let ((session pollux-session-current))
    (cond ((and session (pollux-session-questions session))
           (concat (propertize " Pollux asks" 'face 'pollux-ask)
                   " · C-c C-y yes · C-c C-n no · C-c C-q go to the question"))
          ((and session (pollux-session-turn session))
           " RET queue · C-c C-s steer · C-c C-k stop")
          (t " RET send · C-j new line · M-p earlier"))))

(define-derived-mode pollux-chat-mode nil "Pollux"
  "Mode of the chat with Pollux.

\\{pollux-chat-mode-map}"
  (setq-local truncate-lines nil
              truncate-partial-width-windows nil
              word-wrap t
              font-lock-multiline t
              font-lock-defaults '(pollux-chat--keywords t)
              ;; The prompt's sign is no part of the line that is written.
              inhibit-field-text-motion nil
              header-line-format '(:eval (pollux-chat--header))
              mode-line-format '(:eval (pollux-chat--footer)))
  (setq indent-tabs-mode nil)
  (pollux-transcript-clear)
  (pollux-transcript-set-tail nil))

(defun pollux-chat-open ()
  "Show the chat without going there, and return its buffer."
  (let ((buffer (or (pollux-chat-buffer)
                    (let ((server (pollux-server-current))
                          (new (get-buffer-create pollux-chat--name)))
                      (with-current-buffer new
                        (setq default-directory
                              (file-name-as-directory (pollux-server-root server)))
                        (pollux-chat-mode)
                        (if pollux-session-current
                            (pollux-session-replay)
                          (pollux-chat--welcome))
                        (goto-char (point-max)))
                      new))))
    (save-selected-window (display-buffer buffer pollux-chat-display-action))
    buffer))

(provide 'pollux-chat)
;;; pollux-chat.el ends here
