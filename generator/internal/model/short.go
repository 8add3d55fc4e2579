package model

// Short says how the list of a result is cut to whole elements. Result.Output is then an object
// with the list, the other members, and those that say what is left out.
type Short struct {
	Of   *Type  // what the function returns
	List *Field // of Of behind its pointers, or Of itself, without a Path
	// Own is set where Of has a member total.
	Own  bool
	Page int64 // elements at most, 0 for as many as fit
	// Offset is the argument that page= adds, nil if the function has Cursor.
	Offset *Field
	// Cursor is the argument of the function that says where its own page begins, and Next the
	// member of Of with the cursor of the page after it.
	Cursor, Next *Field
}
