package wire

import (
	"strings"
	"time"
)

// TimeLayout reads a time in a layout of package time. Without an offset it is in UTC.
func TimeLayout(d *Decoder, v *time.Time, layout string) { d.readTime(v, layout, time.UTC) }

// LocalTimeLayout is like TimeLayout, but a time without an offset is in the local time zone.
func LocalTimeLayout(d *Decoder, v *time.Time, layout string) { d.readTime(v, layout, time.Local) }

func (d *Decoder) readTime(v *time.Time, layout string, zone *time.Location) {
	text, _, ok := d.stringBytes("a string with a time such as " + quote(layout))
	if !ok {
		return
	}
	t, err := time.ParseInLocation(layout, string(text), zone)
	// Parse accepts a fraction that the layout does not have.
	if err != nil || !strings.Contains(layout, "07") && !strings.Contains(layout, "MST") && t.Format(layout) != string(text) {
		d.violate(RuleFormat, "must be a time such as "+quote(layout)+", got "+quote(string(text)))
		return
	}
	*v = t
}

// UnixTime reads a time as the number of units since 1970; unit is in nanoseconds.
func UnixTime(d *Decoder, v *time.Time, unit int64) {
	var n int64
	Int(d, &n)
	if d.failed {
		return
	}
	perSecond := int64(time.Second) / unit
	*v = time.Unix(n/perSecond, n%perSecond*unit)
}
