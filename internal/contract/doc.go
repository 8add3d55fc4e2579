// Package contract holds what a server publishes as a value: its identity, and its
// tools, resources, resource templates and prompts as the protocol lists them. It
// reads contracts from files and from saved answers of any server, writes them for
// reviewers, and tells what has changed between two of them.
//
// [Compare] sorts changes into three classes. Breaking is what a client that was
// written, prompted or configured for the old contract may stumble over;
// compatible is everything else that has an effect; wording is what only people
// and models read. What cannot be decided counts as breaking, and says so.
//
// Schemas are compared by the values that they allow. Of arguments the old schema
// must allow no more than the new one, of results the new one no more than the
// old one. Two habits of clients are taken for granted: they send the arguments
// that are named and no others, so that an optional argument may be added where
// the old schema said nothing about further ones; and they ignore members of a
// result that they do not know, so that one may be added although the old schema
// was closed.
//
// The package imports the standard library alone: the command and
// runtime/mcptest share it. Values must not be changed once they are in use;
// then they may be used by several goroutines.
package contract
