;;; pollux-questions.el --- Answering what the agent asks  -*- lexical-binding: t; -*-

;; SPDX-License-Identifier: Apache-2.0

;;; Commentary:

;; Nothing pops up by itself: the person begins, with a key on the question or
;; a command from anywhere.

;;; Code:

(require 'cl-lib)
(require 'crm)
(require 'seq)
(require 'subr-x)
(require 'pollux-session)
(require 'pollux-words)

(defun pollux-questions-oldest ()
  "The question that has waited longest."
  (and pollux-session-current (car (pollux-session-questions pollux-session-current))))

(defun pollux-questions--given (question)
  "QUESTION, or the oldest one."
  (or question (pollux-questions-oldest)
      (user-error "Pollux: nothing waits for an answer")))

(defun pollux-questions--separator (options)
  "The first usual character that is in none of OPTIONS, to be typed between them."
  (or (seq-find (lambda (separator)
                  (seq-every-p (lambda (option) (not (string-search separator option))) options))
                '("," ";" "|" "/"))
      "\t"))

(defun pollux-questions--read-several (text options default)
  "Read some of OPTIONS by asking TEXT; DEFAULT is the list that stands there.
The result is a vector, because a label may have commas in it."
  (let* ((separator (pollux-questions--separator options))
         (crm-separator (concat "[ \t]*" (regexp-quote separator) "[ \t]*"))
         (text (if (equal separator ",") text
                 (format "%s(with %s between them) " text separator))))
    (vconcat (seq-remove #'string-blank-p
                         (completing-read-multiple
                          text options nil nil (string-join default (concat separator " ")))))))

(defun pollux-questions--read-once (question)
  "Read what somebody says to one QUESTION to a person; empty if nothing.
What stands there already is in the minibuffer, where it can be taken out."
  (let* ((form (plist-get question :answer))
         (kind (plist-get form :kind))
         (default (plist-get question :default))
         (optional (eq (plist-get question :optional) t))
         (hint (plist-get question :placeholder))
         (text (concat (plist-get question :text)
                       (if optional " (optional)" "")
                       (if (or (member hint '(nil "")) (not (equal kind "text"))) ""
                         (format " (%s)" hint))
                       " "))
         (options (if (equal kind "yesNo") '("Yes" "No")
                    (mapcar (lambda (option) (plist-get option :label))
                            (plist-get form :options)))))
    (cond ((equal kind "text") (read-string text default))
          ((eq (plist-get form :several) t)
           (pollux-questions--read-several text options (append default nil)))
          ((and (equal kind "yesNo") (not optional) (not default))
           (if (y-or-n-p text) "Yes" "No"))
          (t (completing-read text options nil nil default)))))

(defun pollux-questions--read (question)
  "Read the reply to one QUESTION to a person, until there is one if it needs one."
  (let (reply)
    (while (progn
             (setq reply (pollux-questions--read-once question))
             (when (stringp reply) (setq reply (string-trim reply)))
             (and (seq-empty-p reply) (not (eq (plist-get question :optional) t))))
      (message "Pollux: this wants an answer"))
    reply))

(defun pollux-questions--replies (question)
  "Read the replies to all that QUESTION asks."
  (let ((place -1))
    (cl-mapcan (lambda (one)
                 (cl-incf place)
                 (let ((reply (pollux-questions--read one)))
                   ;; Taken out is something else than never there.
                   (unless (and (seq-empty-p reply) (seq-empty-p (plist-get one :default)))
                     (list (intern (format ":%d" place)) reply))))
               (append (plist-get (plist-get question :subject) :questions) nil))))

(defun pollux-questions--always (question scope)
  "The answer that allows QUESTION for as long as SCOPE says."
  (if (plist-get question :proposal)
      '(:kind "always" :offer 0 :scope "session")
    (let ((offer (pollux-words-offer question scope)))
      (unless offer
        (user-error "Pollux: this cannot be allowed for the %s; allow it once" scope))
      (list :kind "always" :offer offer :scope scope))))

;;;###autoload
(defun pollux-approve (&optional scope question)
  "Allow QUESTION, or the one that has waited longest, for SCOPE.
SCOPE is once, session, workspace or always; with a prefix argument
it is asked for."
  (interactive
   (list (and current-prefix-arg
              (completing-read "Allow for how long? "
                               '("once" "session" "workspace" "always") nil t))))
  (let* ((question (pollux-questions--given question))
         (once (member scope '(nil "once"))))
    (pollux-session-answer
     question
     (pcase (plist-get (plist-get question :subject) :kind)
       ("questions" (list :kind "replies" :replies (pollux-questions--replies question)))
       ("plan" (list :kind "carryOut" :mode (if once "default" "autoEdit")))
       ((guard once) '(:kind "allow"))
       (_ (pollux-questions--always question (if (equal scope "always") "user" scope)))))))

;;;###autoload
(defun pollux-deny (&optional reason question)
  "Turn down QUESTION, or the one that has waited longest.
REASON is for the model; with a prefix argument it is asked for."
  (interactive (list (and current-prefix-arg (read-string "Instead: "))))
  (pollux-session-answer
   (pollux-questions--given question)
   (list :kind "deny" :feedback (if (equal reason "") nil reason))))

(defun pollux-questions-press (key question)
  "Do to QUESTION what KEY says beside it."
  (pcase key
    ("y" (pollux-approve "once" question))
    ("s" (pollux-approve "session" question))
    ("w" (pollux-approve "workspace" question))
    ("A" (pollux-approve "always" question))
    ("n" (pollux-deny nil question))
    ("r" (pollux-deny (read-string "Instead: ") question))))

(provide 'pollux-questions)
;;; pollux-questions.el ends here
