// Package mounted tests the bookstore on servers of other libraries: features that pass on mcpgen's
// server also pass there, except for a list of features that such a server does not support.
package mounted
