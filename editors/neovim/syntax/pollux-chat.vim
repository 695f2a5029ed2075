" The chat is Markdown, and lines that begin with a mark are not.
if exists("b:current_syntax")
  finish
endif

runtime! syntax/markdown.vim
" An underscore within a word is no mistake here.
silent! syntax clear markdownError
silent! syntax clear markdownCodeBlock

syntax match polluxPrompt /^▌.*$/
syntax match polluxCard /^\%(  \)*[○✓✗–▸▾↗↻↧›·] .*$/ contains=polluxCardMark,polluxAddedCount,polluxRemovedCount
syntax match polluxFailed /^\%(  \)*✗ .*$/ contains=polluxCardMark
syntax match polluxCardMark /^\%(  \)*[○✓–▸▾↗↻↧›·]/ contained
syntax match polluxAddedCount /  \@<=+\d\+/ contained
syntax match polluxRemovedCount /−\d\+/ contained
syntax match polluxDetail /^\%(  \)\+│.*$/
syntax match polluxDetailAdded /^\%(  \)\+│ +.*$/
syntax match polluxDetailRemoved /^\%(  \)\+│ -.*$/
syntax match polluxQuestion /^[┌│] .*$/ contains=polluxAddedCount,polluxRemovedCount
syntax match polluxQuestionAdded /^│ +.*$/
syntax match polluxQuestionRemoved /^│ -.*$/
syntax match polluxCaution /^│ ⚠.*$/
syntax match polluxKeys /^└ .*$/
syntax match polluxTail /^[∙⧗] .*$/
syntax match polluxSteps /^[☑☐◐☒⚠] .*$/
syntax match polluxWayOut /^  R send .*$/

highlight default link polluxPrompt PolluxPrompt
highlight default link polluxCard PolluxCard
highlight default link polluxCardMark PolluxDim
highlight default link polluxFailed PolluxFailed
highlight default link polluxAddedCount PolluxSignAdded
highlight default link polluxRemovedCount PolluxSignRemoved
highlight default link polluxDetail PolluxDim
highlight default link polluxDetailAdded PolluxAdded
highlight default link polluxDetailRemoved PolluxRemoved
highlight default link polluxQuestion PolluxQuestion
highlight default link polluxQuestionAdded PolluxAdded
highlight default link polluxQuestionRemoved PolluxRemoved
highlight default link polluxCaution PolluxAsk
highlight default link polluxKeys PolluxKeys
highlight default link polluxTail PolluxDim
highlight default link polluxSteps PolluxCard
highlight default link polluxWayOut PolluxDim

" A long talk must not be read from its start to colour its end.
syntax sync clear
syntax sync minlines=60 maxlines=200

let b:current_syntax = "pollux-chat"
