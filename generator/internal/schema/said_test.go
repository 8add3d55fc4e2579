package schema

import "testing"

// A description that contains the comments of the values replaces them, unless it omits a fact.
func TestSaysValues(t *testing.T) {
	texts := []string{`"open"`, `"paid"`}
	docs := map[string]string{`"open"`: "waits for payment", `"paid"`: "on its way"}
	for desc, want := range map[string]bool{
		`open waits for payment, paid is on its way`:                        true,
		"The state: \"open\" (waits for payment) or \"paid\" (on its way).": true,
		`waits for payment: open; on its way: paid`:                         true,
		`PAID orders are on its way. An open one waits for the payment.`:    true,
		`open or paid`:                                   false,
		`open waits for payment`:                         false,
		`open and paid orders: waits for payment`:        false,
		`waits for payment and on its way: open or paid`: false,
		`opening waits for payment, paid on its way`:     false,
		``: false,
	} {
		if got := saysValues(desc, texts, docs, false); got != want {
			t.Errorf("%q: %v", desc, got)
		}
	}
	if none := map[string]string{}; !saysValues("open or paid", texts, none, true) || saysValues("open", texts, none, true) || saysValues("open or paid", texts, none, false) {
		t.Error("values without comments")
	}
	if !saysValues("1 is low, 2 is high", []string{"1", "2"}, map[string]string{"1": "low", "2": "high"}, true) {
		t.Error("numbers")
	}
}

func TestRepeatsName(t *testing.T) {
	for doc, want := range map[string]bool{
		"The page number.": true, "PageNumber": true, "page number": true,
		"PageNumber is the page number.": false, "Page number, from 1 on.": false, "": false,
	} {
		if got := repeatsName(doc, "PageNumber", "page_number"); got != want {
			t.Errorf("%q: %v", doc, got)
		}
	}
}
