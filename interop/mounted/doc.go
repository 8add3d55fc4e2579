// Package mounted tests the bookstore on servers of other libraries: features that pass on our
// own server pass there too, but for a list of what such a server cannot do.
package mounted
