;;; pollux-questions.el --- Answering what the agent asks  -*- lexical-binding: t; -*-

;; SPDX-License-Identifier: Apache-2.0

;;; Commentary:

;; Nothing pops up by itself: the person begins, with a key on the question or
;; a command from anywhere.

;;; Code:

(require 'cl-lib)
(require 'pollux-session)
(require 'pollux-words)

(defun pollux-questions-oldest ()
  "The question that has waited longest."
  (and pollux-session-current (car (pollux-session-questions pollux-session-current))))

(defun pollux-questions--given (question)
  "QUESTION, or the oldest one."
  (or question (pollux-questions-oldest)
      (user-error "Pollux: nothing waits for an answer")))

(defun pollux-questions--read (question)
  "Read the reply to one QUESTION to a person."
  (let* ((form (plist-get question :answer))
         (text (concat (plist-get question :text) " ")))
    (pcase (plist-get form :kind)
      ("text" (read-string text nil nil (plist-get question :placeholder)))
      ("yesNo" (if (y-or-n-p text) "Yes" "No"))
      (_ (let ((options (mapcar (lambda (option) (plist-get option :label))
                                (plist-get form :options))))
           (if (eq (plist-get form :several) t)
               (string-join (completing-read-multiple text options) ", ")
             (completing-read text options)))))))

(defun pollux-questions--replies (question)
  "Read the replies to all that QUESTION asks."
  (let ((place -1))
    (cl-mapcan (lambda (one)
                 (list (intern (format ":%d" (cl-incf place))) (pollux-questions--read one)))
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
