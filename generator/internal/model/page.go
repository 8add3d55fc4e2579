package model

// PageUI describes a page to the hosts that show it. The lists contain origins.
type PageUI struct {
	Connect, Load, Frames, Base []string
	Permissions                 []string
	Domain                      string
	Border                      *bool // nil leaves it to the host
}

// Empty reports whether the description leaves everything to the host.
func (u *PageUI) Empty() bool {
	return u == nil || len(u.Connect)+len(u.Load)+len(u.Frames)+len(u.Base)+len(u.Permissions) == 0 && u.Domain == "" && u.Border == nil
}
