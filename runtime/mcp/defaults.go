package mcp

import "time"

// Defaults are what features have where their own description does not set it: a
// field that is nil, false or 0 there gets the value from here.
type Defaults struct {
	// Errors returns the text of errors that are meant for clients.
	Errors func(error) (text string, ok bool)
	// HideErrors keeps the texts of all other errors from clients.
	HideErrors bool
	// Timeout ends the context of a call; 0 means that of [WithTimeout].
	Timeout time.Duration
}

// ApplyDefaults returns a Registrar that completes the descriptions of features and
// hands them to r. A feature is copied for that: the same one can be registered
// elsewhere, also at the same time.
func ApplyDefaults(r Registrar, d Defaults) Registrar {
	return registrarFunc(func(f Feature) { r.Register(f.completed(&d)) })
}

// complete sets the fields that are not set.
func (d *Defaults) complete(errors *func(error) (string, bool), hide *bool, timeout *time.Duration) {
	if *errors == nil {
		*errors = d.Errors
	}
	*hide = *hide || d.HideErrors
	if *timeout == 0 {
		*timeout = d.Timeout
	}
}

// completeRead does the same for a resource or a template.
func (d *Defaults) completeRead(info *ReadInfo) {
	d.complete(&info.Errors, &info.HideErrors, &info.Timeout)
}

func (t *tool) completed(d *Defaults) Feature {
	info := *t.info
	d.complete(&info.Errors, &info.HideErrors, &info.Timeout)
	c := newTool(&info, t.call)
	c.name, c.also = t.name, t.also
	return c
}

func (p *prompt) completed(d *Defaults) Feature {
	info := *p.info
	d.complete(&info.Errors, &info.HideErrors, &info.Timeout)
	return &prompt{info: &info, name: p.name, get: p.get, options: p.options}
}

func (r *resource) completed(d *Defaults) Feature {
	info := *r.info
	d.completeRead(&info.ReadInfo)
	return &resource{info: &info, name: r.name, read: r.read}
}

func (t *template) completed(d *Defaults) Feature {
	info := *t.info
	d.completeRead(&info.ReadInfo)
	return newTemplate(&info, t.name, t.read, t.options)
}
