// Package interop drives programs with other people's clients, as their users
// would: as a process, over its standard input and output. The bookstore of the
// examples has tools whose code is generated; the talker, in this module, has
// hand-written features of every kind. What these clients need stays out of
// everybody else's module graph.
package interop
