// Package contract represents everything that a server publishes: its identity, and its tools,
// resources, resource templates, prompts and skills as the protocol lists them. It reads contracts
// from files and from saved results of any server, writes them for reviewers, and compares two of
// them.
//
// [Compare] sorts changes into three classes. A change is breaking if it may break a client that
// was written, prompted or configured for the old contract; compatible if it has any other effect;
// wording if it changes only text for people and models. A change whose effect cannot be decided
// counts as breaking, with a remark.
//
// Schemas are compared by the values that they allow. For arguments, the old schema must allow no
// more than the new one; for results, the new one no more than the old one. The comparison makes
// two assumptions about clients: they send only named arguments, so that an optional argument may
// be added even if the old schema allowed further ones; and they ignore unknown members of a
// result, so that one may be added even if the old schema was closed.
//
// Keywords that mcpgen does not write are not read: a change of one has an unknown effect.
//
// The package imports only the standard library: the command and runtime/mcptest share it. Several
// goroutines may use a contract that is no longer modified.
package contract
