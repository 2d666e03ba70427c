# SPDX-License-Identifier: GPL-2.0-only
# zsh -f completion.zsh LINE...: what a shell with our completion makes of each line
# when Tab is pressed behind it, one a line.  $SPE_TOP is the sources.
zmodload zsh/zpty || exit 77
zpty shell zsh -f -i
zpty -w shell "PS1= PS2= RPS1=; stty -echo; fpath=($SPE_TOP/tools/completion \$fpath)"
zpty -w shell 'autoload -Uz compinit; compinit -D -u; zstyle ":completion:*" menu no; unsetopt auto_menu beep'
zpty -w shell 'show() { print -rn -- "<$BUFFER>"; BUFFER=; zle redisplay }; zle -N show; bindkey "^X" show'
zpty -w shell 'print -r -- "<$((40 + 2))>"'
zpty -r shell seen '*<42>*'
for line; do
	zpty -w -n shell "$line"$'\t\030'
	zpty -r shell seen '*<*>*'
	seen=${seen##*<}
	print -r -- "${seen%%>*}"
done
zpty -d shell
