;;; pollux-hunks.el --- The agent's edits in the buffers  -*- lexical-binding: t; -*-

;; SPDX-License-Identifier: Apache-2.0

;;; Commentary:

;; Marks the hunks that wait for a decision: what came is coloured in the text,
;; what went stands above it.  Only overlays: the text is never touched, and
;; nothing moves under the cursor while a person types.

;;; Code:

(require 'cl-lib)
(require 'diff-mode)
(require 'pollux-buffers)
(require 'pollux-words)

(defface pollux-added '((t :inherit diff-added :extend t))
  "Lines that came." :group 'pollux)
(defface pollux-removed '((t :inherit diff-removed :extend t))
  "Lines that went, or would go." :group 'pollux)
(defface pollux-added-word '((t :inherit diff-refine-added))
  "Words that came." :group 'pollux)
(defface pollux-removed-word '((t :inherit diff-refine-removed))
  "Words that went." :group 'pollux)
(defface pollux-conflict '((t :inherit diff-changed :extend t))
  "Lines that a person and the agent both changed." :group 'pollux)
(defface pollux-hint '((t :inherit shadow :slant italic))
  "The keys beside a hunk." :group 'pollux)
(defface pollux-mark '((t :inherit success))
  "The mark beside lines that came." :group 'pollux)
(defface pollux-mark-removed '((t :inherit error))
  "The mark beside lines that went." :group 'pollux)
(defface pollux-mark-conflict '((t :inherit warning))
  "The mark beside a conflict." :group 'pollux)
(defface pollux-comment '((t :inherit font-lock-comment-face))
  "A comment for the model." :group 'pollux)

(defcustom pollux-hunks-hint t
  "Whether the keys are shown beside the hunk that point is in."
  :type 'boolean
  :group 'pollux)

(defconst pollux-hunks--longest 100 "More removed lines than a screen has are no help.")

(defvar pollux-hunks--files (make-hash-table :test #'equal)
  "What is pending by path: the server and its message.")

(defvar-local pollux-hunks--drawn nil "The overlays of this buffer's hunks, in order.")
(defvar-local pollux-hunks--parts nil "All other overlays.")
(defvar-local pollux-hunks--shown-hint nil "The overlay that shows the keys.")
(defvar-local pollux-hunks--margin nil "The margin before it was widened, in a list.")

(defvar pollux-hunks-changed-hook nil "Run when the pending hunks have changed.")

(defun pollux-hunks-count ()
  "How many hunks wait."
  (let ((count 0))
    (maphash (lambda (_ entry) (cl-incf count (length (plist-get (cdr entry) :hunks))))
             pollux-hunks--files)
    count))

;;; Drawing

(defun pollux-hunks--part (beginning end &rest properties)
  "Make an overlay from BEGINNING to END with PROPERTIES."
  (let ((overlay (make-overlay beginning end nil t nil)))
    (cl-loop for (name value) on properties by #'cddr do (overlay-put overlay name value))
    (overlay-put overlay 'pollux t)
    (push overlay pollux-hunks--parts)
    overlay))

(defun pollux-hunks--sign (sign face)
  "A prefix for lines that shows SIGN with FACE beside the text."
  (if (display-graphic-p)
      (propertize "!" 'display (list 'left-fringe 'vertical-bar face))
    (propertize "!" 'display `((margin left-margin) ,(propertize sign 'face face)))))

(defun pollux-hunks--changed-span (old new)
  "Where OLD and NEW differ: start, end in OLD, end in NEW.
Nil if they differ in nothing, or in nearly all."
  (let* ((longest (min (length old) (length new)))
         (start (or (cl-mismatch old new) longest))
         (tail 0))
    (while (and (< tail (- longest start))
                (eq (aref old (- (length old) tail 1)) (aref new (- (length new) tail 1))))
      (cl-incf tail))
    (unless (or (and (= start (length old)) (= start (length new)))
                ;; Where little is the same, marking the rest says nothing.
                (< (+ start tail) (/ (max (length old) (length new)) 3)))
      (list start (- (length old) tail) (- (length new) tail)))))

(defun pollux-hunks--lines (lines face sign)
  "LINES as text to be shown between lines, with FACE and SIGN."
  (let ((more (- (length lines) pollux-hunks--longest)))
    (concat
     (mapconcat (lambda (line)
                  (let ((text (concat line "\n")))
                    (add-face-text-property 0 (length text) face t text)
                    (propertize text 'line-prefix sign 'wrap-prefix sign)))
                (if (> more 0) (seq-take lines pollux-hunks--longest) lines)
                "")
     (and (> more 0) (propertize (format "… %d more lines\n" more) 'face 'pollux-hint)))))

(defun pollux-hunks--refine (beginning old new)
  "Mark the words in which NEW, the lines at BEGINNING, differ from OLD.
Return OLD with its own words marked."
  (if (/= (length old) (length new))
      old
    (save-excursion
      (goto-char beginning)
      (cl-loop for was in old for is in new
               for span = (pollux-hunks--changed-span was is)
               when span do (pollux-hunks--part (+ (point) (nth 0 span)) (+ (point) (nth 2 span))
                                                'face 'pollux-added-word 'priority 2)
               collect (if (and span (< (nth 0 span) (nth 1 span)))
                           (concat (substring was 0 (nth 0 span))
                                   (propertize (substring was (nth 0 span) (nth 1 span))
                                               'face 'pollux-removed-word)
                                   (substring was (nth 1 span)))
                         was)
               do (forward-line)))))

(defun pollux-hunks--above (position text)
  "Show TEXT, which ends with a line end, above POSITION."
  (unless (string= text "")
    ;; Behind a last line without an end there is no line to be above of.
    (let ((open (and (= position (point-max)) (> position (point-min))
                     (/= (char-before position) ?\n))))
      (pollux-hunks--part position position
                          (if open 'after-string 'before-string)
                          (if open (concat "\n" (string-remove-suffix "\n" text)) text)
                          'priority 1))))

(defun pollux-hunks--comments (hunk)
  "The comments on HUNK as text to be shown below it."
  (mapconcat (lambda (comment)
               (mapconcat (lambda (line) (propertize (concat "▏ " line "\n") 'face 'pollux-comment))
                          (pollux-words-lines (plist-get comment :text)) ""))
             (plist-get hunk :comments) ""))

(defun pollux-hunks--draw (hunk revision)
  "Draw HUNK of REVISION and return the overlay that stands for it."
  (let* ((range (plist-get hunk :range))
         (beginning (pollux-buffers-point (plist-get range :start)))
         (end (pollux-buffers-point (plist-get range :end)))
         (removed (pollux-words-lines (plist-get hunk :removed)))
         (added (pollux-words-lines (plist-get hunk :added)))
         (state (plist-get hunk :state))
         (overlay (make-overlay beginning end nil nil t))
         (sign (pollux-hunks--sign (pcase state ("pending" "┃") ("proposed" "┆") (_ "!"))
                                   (if (equal state "conflict") 'pollux-mark-conflict
                                     'pollux-mark)))
         (gone (pollux-hunks--sign "▁" 'pollux-mark-removed)))
    (overlay-put overlay 'pollux-hunk (cons revision hunk))
    (overlay-put overlay 'pollux t)
    (overlay-put overlay 'priority 0)
    (overlay-put overlay 'line-prefix sign)
    (overlay-put overlay 'wrap-prefix sign)
    (overlay-put overlay 'face (pcase state
                                 ("pending" 'pollux-added)
                                 ("proposed" 'pollux-removed)
                                 (_ 'pollux-conflict)))
    (when (equal state "pending")
      (pollux-hunks--above beginning
                           (pollux-hunks--lines (pollux-hunks--refine beginning removed added)
                                                'pollux-removed gone)))
    ;; One text for all that stands below: the order of two in one place is left to chance.
    (pollux-hunks--above
     end (concat (pcase state
                   ("proposed" (pollux-hunks--lines added 'pollux-added sign))
                   ("conflict"
                    (concat (propertize "Pollux wants instead:\n"
                                        'face 'pollux-hint 'line-prefix sign)
                            (pollux-hunks--lines added 'pollux-added sign))))
                 (pollux-hunks--comments hunk)))
    overlay))

(defun pollux-hunks--make-room ()
  "Have a margin for the marks where there is no fringe, or give it back."
  (unless (display-graphic-p)
    (let ((wanted (and pollux-hunks--drawn t)))
      (cond ((and wanted (not pollux-hunks--margin))
             (setq pollux-hunks--margin (list left-margin-width)
                   left-margin-width (max 2 (or left-margin-width 0))))
            ((and (not wanted) pollux-hunks--margin)
             (setq left-margin-width (car pollux-hunks--margin)
                   pollux-hunks--margin nil)))
      (dolist (window (get-buffer-window-list nil nil t))
        (set-window-margins window left-margin-width right-margin-width)))))

(defun pollux-hunks-clear ()
  "Take all marks out of this buffer."
  (mapc #'delete-overlay pollux-hunks--drawn)
  (mapc #'delete-overlay pollux-hunks--parts)
  (when pollux-hunks--shown-hint (delete-overlay pollux-hunks--shown-hint))
  (setq pollux-hunks--drawn nil
        pollux-hunks--parts nil
        pollux-hunks--shown-hint nil))

(defun pollux-hunks--fits-p (hunk)
  "Whether this buffer has the lines that HUNK says are there."
  (let ((range (plist-get hunk :range)))
    (equal (pollux-words-lines
            (buffer-substring-no-properties (pollux-buffers-point (plist-get range :start))
                                            (pollux-buffers-point (plist-get range :end))))
           (pollux-words-lines
            (plist-get hunk (if (equal (plist-get hunk :state) "pending") :added :removed))))))

(defun pollux-hunks--show (message)
  "Draw what MESSAGE says of this buffer.
A message about a text that has changed since is drawn only where it
still fits.  Otherwise the old marks stay, which moved along with the
text, until the next message comes."
  (save-restriction
    (widen)
    (let ((version (plist-get message :version))
          (hunks (plist-get message :hunks)))
      (when (or (not (integerp version))
                (and (>= version pollux-buffers--version) (not pollux-buffers--changes))
                (cl-every #'pollux-hunks--fits-p hunks))
        (pollux-hunks-clear)
        (setq pollux-hunks--drawn
              (mapcar (lambda (hunk) (pollux-hunks--draw hunk (plist-get message :revision)))
                      hunks))
        (pollux-hunks--make-room)
        (if hunks
            (add-hook 'post-command-hook #'pollux-hunks--hint nil t)
          (remove-hook 'post-command-hook #'pollux-hunks--hint t))
        (pollux-hunks--hint)))))

(defun pollux-hunks--heard (server message)
  "SERVER says in MESSAGE what is pending in a file."
  (let* ((path (pollux-path (plist-get message :uri)))
         (buffer (pollux-buffers-of server (plist-get message :uri))))
    (if (= (length (plist-get message :hunks)) 0)
        (remhash path pollux-hunks--files)
      (puthash path (cons server message) pollux-hunks--files))
    (when buffer (with-current-buffer buffer (pollux-hunks--show message)))
    (run-hooks 'pollux-hunks-changed-hook)))

(defun pollux-hunks--opened ()
  "Draw in this buffer, which was just opened, what is known already."
  (let ((entry (gethash pollux-buffers--path pollux-hunks--files)))
    ;; What was said of the closed file may be said of another text.
    (when entry (pollux-hunks--show (plist-put (copy-sequence (cdr entry)) :version -1)))))

(defun pollux-hunks--forget (server)
  "SERVER has ended: what it said is void."
  (maphash (lambda (path entry)
             (when (eq server (car entry)) (remhash path pollux-hunks--files)))
           (copy-hash-table pollux-hunks--files))
  (maphash (lambda (_ buffer)
             (when (buffer-live-p buffer)
               (with-current-buffer buffer (pollux-hunks-clear) (pollux-hunks--make-room))))
           (pollux-server-files server))
  (run-hooks 'pollux-hunks-changed-hook))

(setf (alist-get 'pollux/hunks pollux-server-handlers) #'pollux-hunks--heard)
(add-hook 'pollux-buffers-opened-functions #'pollux-hunks--opened)
(add-hook 'pollux-server-ended-functions #'pollux-hunks--forget)

;;; The hunk at point

(defun pollux-hunks--at (position)
  "The overlay of the hunk that POSITION is in or beside."
  (save-excursion
    (goto-char position)
    (let ((first (line-beginning-position)) (last (line-end-position)))
      (cl-find-if (lambda (overlay)
                    (let ((start (overlay-start overlay)) (end (overlay-end overlay)))
                      (if (= start end)
                          ;; A gap: the line below it, and at the end of the text the last one.
                          (or (<= first start last) (= start (point-max) (1+ last)))
                        (and (< first end) (>= last start)))))
                  pollux-hunks--drawn))))

(defun pollux-hunks-here ()
  "Name and state of the hunk at point, as the server knows it, or nil."
  (let* ((overlay (pollux-hunks--at (point)))
         (hunk (and overlay (overlay-get overlay 'pollux-hunk))))
    (when hunk
      (list (list :uri (pollux-uri pollux-buffers--path)
                  :revision (car hunk)
                  :index (plist-get (cdr hunk) :index))
            (plist-get (cdr hunk) :state)))))

(defvar pollux-hunks-keys-function #'ignore
  "Function that says with which keys a hunk in a given state is decided.")

(defun pollux-hunks--hint ()
  "Show the keys beside the hunk at point, and beside no other."
  (let ((overlay (and pollux-hunks-hint (pollux-hunks--at (point)))))
    (if (not overlay)
        (when pollux-hunks--shown-hint
          (delete-overlay pollux-hunks--shown-hint)
          (setq pollux-hunks--shown-hint nil))
      (let* ((hunk (cdr (overlay-get overlay 'pollux-hunk)))
             (place (save-excursion (goto-char (overlay-start overlay)) (line-end-position)))
             (text (format "  %s · %d of %d"
                           (or (funcall pollux-hunks-keys-function (plist-get hunk :state)) "")
                           (1+ (cl-position overlay pollux-hunks--drawn))
                           (length pollux-hunks--drawn))))
        (if pollux-hunks--shown-hint
            (move-overlay pollux-hunks--shown-hint place place)
          (setq pollux-hunks--shown-hint (make-overlay place place))
          (overlay-put pollux-hunks--shown-hint 'pollux t))
        ;; The cursor at the end of the line stays before it.
        (overlay-put pollux-hunks--shown-hint 'after-string
                     (propertize text 'face 'pollux-hint 'cursor t))))))

(provide 'pollux-hunks)
;;; pollux-hunks.el ends here
