package shellcomplete

// The scripts contain no logic beyond the shell's. Without candidates, the shell completes files.

const bash = `# Completion for bash.
__FUNCTION_complete() {
	local word
	COMPREPLY=()
	while IFS= read -r word; do
		COMPREPLY+=("$word")
	done < <(COMMAND completion bash -- "${COMP_LINE:0:COMP_POINT}" "$COMP_WORDBREAKS" 2>/dev/null)
	# What ends with these goes on.
	case ${COMPREPLY[0]:-} in
	*= | */) compopt -o nospace 2>/dev/null ;;
	esac
}
complete -o default -F __FUNCTION_complete PROGRAM
`

const zsh = `#compdef PROGRAM
# Completion for zsh.
__FUNCTION_complete() {
	local line
	local -a lines ends goes
	local -a endsAbout goesAbout
	lines=("${(@f)$(COMMAND completion zsh -- "${(@Q)words[1,CURRENT-1]}" "${(Q)PREFIX}" 2>/dev/null)}")
	for line in $lines; do
		[[ -n $line ]] || continue
		# What ends with these goes on.
		if [[ ${line%%$'\t'*} == *(=|/) ]]; then
			goes+=("${line%%$'\t'*}")
			goesAbout+=("${line/$'\t'/  -- }")
		else
			ends+=("${line%%$'\t'*}")
			endsAbout+=("${line/$'\t'/  -- }")
		fi
	done
	if (( ${#ends} + ${#goes} == 0 )); then
		_files
		return
	fi
	(( ${#goes} )) && compadd -S '' -l -d goesAbout -a goes
	(( ${#ends} )) && compadd -l -d endsAbout -a ends
	return 0
}
compdef __FUNCTION_complete PROGRAM
`

const fish = `# Completion for fish.
function __FUNCTION_complete
	set -l found (COMMAND completion fish -- (commandline -opc) (commandline -ct) 2>/dev/null)
	if test (count $found) -gt 0
		printf '%s\n' $found
	else
		__fish_complete_path (commandline -ct)
	end
end
complete -c PROGRAM -f -a '(__FUNCTION_complete)'
`

const powershell = `# Completion for PowerShell.
Register-ArgumentCompleter -Native -CommandName PROGRAM -ScriptBlock {
	param($word, $ast, $position)
	$before = @($ast.CommandElements | Where-Object { $_.Extent.EndOffset -lt $position } | ForEach-Object {
		if ($_ -is [System.Management.Automation.Language.StringConstantExpressionAst]) { $_.Value } else { $_.Extent.Text }
	})
	$last = $word.Trim("'", '"')
	COMMAND completion powershell '--' @before "word:$last" 2>$null | ForEach-Object {
		$value, $about = $_ -split "` + "`" + `t", 2
		if (-not $about) { $about = $value }
		$text = $value
		if ($value -match '[^A-Za-z0-9_./:=@%+-]' -or $value -match '^@') { $text = "'" + $value.Replace("'", "''") + "'" }
		[System.Management.Automation.CompletionResult]::new($text, $value, 'ParameterValue', $about)
	}
}
`
