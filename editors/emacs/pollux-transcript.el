;;; pollux-transcript.el --- A page that grows above a prompt  -*- lexical-binding: t; -*-

;; SPDX-License-Identifier: Apache-2.0

;;; Commentary:

;; The buffer of the chat as text: a page that only grows, in which blocks can
;; be drawn again where they stand; a tail of a few lines that comes and goes;
;; and the prompt, which belongs to the person.  What is written above the
;; prompt moves neither the cursor nor what can be undone in it.

;;; Code:

(require 'cl-lib)

(defface pollux-rule '((t :inherit shadow :underline t :extend t))
  "The line above the prompt."
  :group 'pollux)

(defface pollux-prompt-mark '((t :inherit minibuffer-prompt))
  "The sign before the prompt."
  :group 'pollux)

(cl-defstruct (pollux-block (:constructor pollux-block-make) (:copier nil))
  "Lines that can be drawn again."
  start end
  ;; Function that gives the text.
  draw
  ;; Of cards: function that gives the lines that can be unfolded, and whether they are.
  detail (open nil)
  icon title suffix
  ;; Of tool calls: what it printed (the latest first), how much, what it said, and when it began.
  (printed nil) (size 0) message edit
  ;; Of tool calls: its name, how far it is set in, and what it is called if it is a sub-agent.
  call (indent "") agent
  ;; Of questions: the event, and when it was shown.
  question born
  ;; What RET does instead of unfolding.
  act)

(defvar-local pollux-transcript--end nil "Where the page ends and the tail begins.")
(defvar-local pollux-transcript--rule nil "Where the tail ends.")
(defvar-local pollux-transcript--input nil "Where the person writes.")
(defvar-local pollux-transcript--kind nil "The kind of what was written last.")
(defvar-local pollux-transcript--tail "" "The tail that is shown.")

(defvar pollux-transcript-map (make-sparse-keymap)
  "Keys on the page, where nothing can be typed.")

(defvar pollux-transcript-question-map
  (let ((map (make-sparse-keymap)))
    (set-keymap-parent map pollux-transcript-map)
    map)
  "Keys on a question.")

(defun pollux-transcript--keys (block)
  "The keys on BLOCK."
  (if (pollux-block-question block) pollux-transcript-question-map pollux-transcript-map))

(defun pollux-transcript--shift (list by start)
  "Move all places in the undo LIST that are not before START by BY characters."
  (cl-flet ((move (place) (cond ((not (integerp place)) place)
                                ((>= place start) (+ place by))
                                ((<= place (- start)) (- place by))
                                (t place))))
    (mapcar (lambda (entry)
              (pcase entry
                ((pred integerp) (move entry))
                (`(nil ,property ,value ,from . ,to)
                 `(nil ,property ,value ,(move from) . ,(move to)))
                (`(t . ,_) entry)
                (`(apply . ,_) nil)
                (`(,(and (pred stringp) text) . ,place) (cons text (move place)))
                (`(,(and (pred integerp) from) . ,to) (cons (move from) (move to)))
                (_ entry)))
            list)))

(defun pollux-transcript--write (act)
  "Call ACT, which writes above the prompt, and leave the person alone."
  (let* ((inhibit-read-only t)
         (before (marker-position pollux-transcript--input))
         (undo buffer-undo-list)
         (pinned (cl-remove-if-not
                  (lambda (window) (>= (window-point window) before))
                  (get-buffer-window-list nil nil t))))
    (setq buffer-undo-list t)
    (unwind-protect
        (save-excursion (save-restriction (widen) (funcall act)))
      (setq buffer-undo-list
            (if (listp undo)
                (pollux-transcript--shift undo (- pollux-transcript--input before) before)
              undo))
      (restore-buffer-modified-p nil))
    (unless noninteractive
      (dolist (window pinned)
        (unless (pos-visible-in-window-p (point-max) window)
          (with-selected-window window
            (save-excursion (goto-char (point-max)) (recenter -1))))))))

(defmacro pollux-transcript-writing (&rest body)
  "Do BODY, which writes above the prompt."
  (declare (indent 0) (debug t))
  `(pollux-transcript--write (lambda () ,@body)))

(defun pollux-transcript--fixed (text &rest properties)
  "TEXT that cannot be changed by typing, with PROPERTIES."
  (let ((fixed (copy-sequence text)))
    (add-text-properties 0 (length fixed)
                         (append properties
                                 (unless (plist-get properties 'keymap)
                                   (list 'keymap pollux-transcript-map))
                                 '(read-only t front-sticky (read-only) rear-nonsticky t))
                         fixed)
    fixed))

(defun pollux-transcript-clear ()
  "Begin an empty page; what is being written stays."
  (if pollux-transcript--end
      (pollux-transcript-writing
        (delete-region (point-min) pollux-transcript--rule))
    (let ((inhibit-read-only t))
      (erase-buffer)
      (setq pollux-transcript--end (copy-marker (point-min) t)
            pollux-transcript--rule (copy-marker (point-min) t))
      (insert (pollux-transcript--fixed "\n" 'font-lock-face 'pollux-rule)
              (pollux-transcript--fixed "› " 'font-lock-face 'pollux-prompt-mark
                                        'field 'pollux-prompt))
      (setq pollux-transcript--input (copy-marker (point)))
      (set-marker pollux-transcript--end (point-min))
      (set-marker pollux-transcript--rule (point-min))
      (setq buffer-undo-list nil)))
  (setq pollux-transcript--kind nil
        pollux-transcript--tail ""))

(defun pollux-transcript--append (text &rest properties)
  "Put TEXT with PROPERTIES at the end of the page."
  (goto-char pollux-transcript--end)
  ;; The rule begins where an empty tail does.
  (insert (apply #'pollux-transcript--fixed text properties)))

(defun pollux-transcript-begin (kind)
  "Something of KIND comes: leave an empty line, unless cards stand close together."
  (goto-char pollux-transcript--end)
  (unless (= (point) (point-min))
    (let* ((wanted (if (and (eq kind 'card) (eq pollux-transcript--kind 'card)) 1 2))
           (there (- (point) (save-excursion (skip-chars-backward "\n") (point)))))
      (when (< there wanted)
        (pollux-transcript--append (make-string (- wanted there) ?\n)))))
  (setq pollux-transcript--kind kind))

(defun pollux-transcript-stream (kind text)
  "Append TEXT of KIND, which may go on where the last piece ended."
  (unless (eq kind pollux-transcript--kind)
    (pollux-transcript-begin kind)
    (setq text (string-trim-left text "\n+")))
  (pollux-transcript--append text))

(defun pollux-transcript-add (kind text &rest properties)
  "Append TEXT of KIND, by itself, with PROPERTIES."
  (pollux-transcript-begin kind)
  (apply #'pollux-transcript--append text properties))

(defun pollux-transcript-add-block (kind block)
  "Append BLOCK of KIND and return it."
  (pollux-transcript-begin kind)
  (goto-char pollux-transcript--end)
  (setf (pollux-block-start block) (point-marker))
  (pollux-transcript--append (funcall (pollux-block-draw block) block) 'pollux-block block
                             'keymap (pollux-transcript--keys block))
  (setf (pollux-block-end block) (copy-marker pollux-transcript--end))
  block)

(defun pollux-transcript--extent (block)
  "Where BLOCK stands: its start and its end, or nil."
  (if (markerp (pollux-block-start block))
      (cons (marker-position (pollux-block-start block)) (marker-position (pollux-block-end block)))
    (let ((start (text-property-any (point-min) (point-max) 'pollux-block block)))
      (and start (cons start (next-single-property-change start 'pollux-block nil (point-max)))))))

(defun pollux-transcript-redraw (block)
  "Draw BLOCK again where it stands."
  (let ((extent (pollux-transcript--extent block))
        (text (funcall (pollux-block-draw block) block)))
    (when extent
      (goto-char (car extent))
      (delete-region (car extent) (cdr extent))
      (insert (pollux-transcript--fixed text 'pollux-block block
                                        'keymap (pollux-transcript--keys block)))
      (when (markerp (pollux-block-end block)) (set-marker (pollux-block-end block) (point))))))

(defun pollux-transcript-remove (block)
  "Take BLOCK out, with the empty lines above it."
  (let ((extent (pollux-transcript--extent block)))
    (when extent
      (delete-region (save-excursion (goto-char (car extent)) (skip-chars-backward "\n") (point))
                     (cdr extent))
      (goto-char pollux-transcript--end)
      ;; What comes next stands beside what is last now.
      (setq pollux-transcript--kind
            (and (> (point) (point-min))
                 (get-text-property (1- (point)) 'pollux-block)
                 'card)))))

(defun pollux-transcript-cut (position)
  "Take out everything from POSITION on, and the empty lines above it."
  (when position
    (goto-char position)
    (skip-chars-backward "\n")
    (delete-region (point) pollux-transcript--end)
    (setq pollux-transcript--kind nil)))

(defun pollux-transcript-release (block)
  "BLOCK will hardly be drawn again: from now on it is found by its text."
  (when (markerp (pollux-block-start block))
    (set-marker (pollux-block-start block) nil)
    (set-marker (pollux-block-end block) nil)
    (setf (pollux-block-start block) nil
          (pollux-block-end block) nil)))

(defun pollux-transcript-set-tail (lines)
  "Show LINES below the page; each may carry properties of its own."
  (let* ((open (save-excursion
                 (goto-char pollux-transcript--end)
                 (and (> (point) (point-min)) (not (eq (char-before) ?\n)))))
         ;; One empty line above it, whether the page has ended its last one or not.
         (tail (concat (and open "\n")
                       (mapconcat (apply-partially #'concat "\n") lines "")
                       (and lines "\n"))))
    (unless (equal-including-properties tail pollux-transcript--tail)
      (setq pollux-transcript--tail tail)
      (pollux-transcript-writing
        (delete-region pollux-transcript--end pollux-transcript--rule)
        (let ((end (marker-position pollux-transcript--end)))
          (goto-char end)
          (insert (pollux-transcript--fixed tail))
          (set-marker pollux-transcript--end end))))))

(defun pollux-transcript-page ()
  "The page and its tail as they are read."
  (buffer-substring-no-properties (point-min) pollux-transcript--rule))

(defun pollux-transcript-input ()
  "What the person has written."
  (buffer-substring-no-properties pollux-transcript--input (point-max)))

(defun pollux-transcript-set-input (text)
  "Put TEXT where the person writes."
  (delete-region pollux-transcript--input (point-max))
  (goto-char (point-max))
  (insert text))

(provide 'pollux-transcript)
;;; pollux-transcript.el ends here
