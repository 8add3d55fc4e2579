package cli

// This file contains the help of the commands that edit the configuration of clients.

const helpInstall = `usage: mcpgen install [flags] CLIENT PACKAGE
       mcpgen install [flags] CLIENT -url URL -name NAME
       mcpgen install [flags] CLIENT -- COMMAND ARGS

Adds a server to a client. A package is served from its source, by go tool
mcpgen run with absolute paths. CLIENT is claude-code, claude-desktop, codex,
cursor, gemini, vscode or windsurf; with json the entry is printed and nothing
is written. docs/serve/hosts.md says which file each of them has.

The entry is inserted into the file, and every other byte stays. A file that
cannot be parsed is not written: the text to paste is printed. The old file of
a user is kept beside it as .bak the first time. The file of Claude Code for a
user is changed by the command claude, which has to be in PATH and gets no
values of -env and -header.

	-name NAME  the name of the entry; default: the name of the server or
	            the program
	-scope SCOPE
	            user (default), project for a file in the current directory,
	            which is meant to be committed, or local, which Claude Code
	            alone has
	-env KEY=VALUE
	            a variable of the program; -env KEY refers to the variable
	            of the client, so that its value is not in the file. May be
	            repeated
	-header NAME=VALUE
	            with -url: a header field. ${KEY} in its value refers to a
	            variable
	-build FILE build the package into that program, which the client then
	            starts
	-force      replace an entry of that name which is different
	-dry-run    print what would be done, and write nothing
` + helpFlags

const helpUninstall = `usage: mcpgen uninstall [flags] CLIENT NAME

Removes a server from a client. The file becomes what it was before install,
plus all other changes since.

	-scope SCOPE
	            user, project or local, if more than one has that name
	-dry-run    print what would be done, and write nothing
`

const helpStatus = `usage: mcpgen status [flags] [CLIENT] [NAME]

Shows the servers that clients have for this user and in the current directory.
Servers that install has added are started, in the home directory or in the
project's, and must reply to tools/list within 10 seconds. Others are started
only with -start, since a file of a cloned repository may name any program.
Exits with 1 if something is wrong: a program that is missing or does not reply,
a program of -build whose source has changed, a name in two scopes, more tools
than the client passes on. Credentials in arguments and URLs are not shown.

	-start      also start servers that install has not written
	-json       write one array with an object for each entry
	-wide       cut nothing: on a terminal, lines are cut to its width
`
