package model

// Short describes how the list of a result is shortened to whole elements. Result.Output is then an
// object with the list, the other members, and members that describe the omitted elements.
type Short struct {
	Of   *Type  // type of the value that the function returns
	List *Field // a field of Of, behind its pointers, or Of itself, without a Path
	// Own is set if Of has a member total.
	Own  bool
	Page int64 // maximum number of elements; 0 means as many as fit
	// Offset is the argument that page= adds, or nil if the function uses Cursor.
	Offset *Field
	// Cursor is the function's own argument for the start of a page, and Next the member of Of with
	// the cursor of the next page.
	Cursor, Next *Field
}
