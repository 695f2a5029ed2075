;;; agents.el --- Sub-agents, conflicts, one call stopped  -*- lexical-binding: t; -*-

(require 'person)
(require 'pollux)

(defun started (call title activity &optional parent)
  "CALL of ACTIVITY with TITLE begins, inside PARENT."
  (list :kind "toolStarted" :call call :title title :activity activity :parent parent))

(defun ended (call message &optional milliseconds)
  "CALL has ended with MESSAGE after MILLISECONDS, as the server counts them."
  (list :kind "toolEnded" :call call :status "succeeded" :message message
        :durationMs (or milliseconds 3)))

(defun shown (event)
  "Show EVENT on the page."
  (let ((inhibit-read-only t)) (pollux-cards-show event)))

(defun show (title)
  "Say what cards the page has, under TITLE."
  (person-say "--" title)
  (let ((page (buffer-substring-no-properties (point-min) pollux-transcript--end)))
    (mapc #'person-say (split-string (substring page (string-search "✓ scout" page)) "\n"))))

(person-run
 (lambda ()
   (person-set-up)
   (pollux)
   (mapc #'shown
         (list (started "s" "scout: Find it" "agent")
               (started "s1" "Read a.rs" "read" "s")
               (ended "s1" "")
               '(:kind "toolProgress" :call "s" :message "Where it is" :done 2 :total 30)
               (started "t" "tester: Test it" "agent")
               (started "t1" "cargo test" "command" "t")
               (ended "s" "Done in 3 turns" 61500)
               (started "e" "Edit a.rs" "edit" "t")
               '(:kind "editMade" :proposal 1 :call "e" :path "a.rs"
                       :hunks [(:baseLine 1 :line 1 :removed "a\n" :added "b\n")])
               '(:kind "editContested" :proposal 1 :conflicts 1)))
   (show "at work")
   (shown '(:kind "hunksDecided" :turn 1 :path "a.rs" :conflicts 0))
   (person-go-to "Edit a.rs")
   (person-keys "TAB")
   (show "settled and opened")

   (pollux-ask "wait for it")
   (person-wait-for "a question" (person-has "┌ Run"))
   (pollux-approve)
   (person-wait-for "the command to run" (file-exists-p (expand-file-name "begun" person-folder)))
   (person-go-to "○ Run mkfifo")
   (person-keys "X")
   (person-wait-for-end 1)
   (person-say "stopped" (and (person-has "\n– Run mkfifo") t) "and on" (and (person-has "Never mind.") t))))
;;; agents.el ends here
