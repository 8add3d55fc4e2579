package mcp

import "time"

// defaults are values for features whose own description does not set them: a field that is nil,
// false or 0 there gets the value from here. See mcpimpl.Defaults.
type defaults struct {
	errors     func(error) (text string, ok bool)
	hideErrors bool
	timeout    time.Duration
}

// complete sets the fields that are not set.
func (d *defaults) complete(errors *func(error) (string, bool), hide *bool, timeout *time.Duration) {
	if *errors == nil {
		*errors = d.errors
	}
	*hide = *hide || d.hideErrors
	if *timeout == 0 {
		*timeout = d.timeout
	}
}

// completeRead does the same for a resource or a template.
func (d *defaults) completeRead(info *ReadInfo) {
	d.complete(&info.Errors, &info.HideErrors, &info.Timeout)
}

// completable is implemented by each [Feature].
type completable interface {
	// completed returns a copy whose description has the defaults.
	completed(d *defaults) Feature
}

var _, _, _, _ completable = (*tool)(nil), (*resource)(nil), (*template)(nil), (*prompt)(nil)

func (t *tool) completed(d *defaults) Feature {
	info := *t.info
	d.complete(&info.Errors, &info.HideErrors, &info.Timeout)
	return &tool{
		info: &info, name: t.name, also: t.also, call: t.call, reads: t.reads, task: t.task,
		headers: t.headers, mirrored: t.mirrored, traits: t.traits, repeats: t.repeats,
	}
}

func (p *prompt) completed(d *defaults) Feature {
	info := *p.info
	d.complete(&info.Errors, &info.HideErrors, &info.Timeout)
	return &prompt{info: &info, name: p.name, get: p.get, complete: p.complete, traits: p.traits}
}

func (r *resource) completed(d *defaults) Feature {
	info := *r.info
	d.completeRead(&info.ReadInfo)
	return &resource{info: &info, name: r.name, read: r.read, part: r.part}
}

func (t *template) completed(d *defaults) Feature {
	info := *t.info
	d.completeRead(&info.ReadInfo)
	return t.parse.template(&info, t.name, t.read, t.complete)
}
