package analyze

import "testing"

func TestSnake(t *testing.T) {
	for in, want := range map[string]string{
		"SearchBooks":    "search_books",
		"ListUserIDs":    "list_user_ids",
		"GetHTTPProxy":   "get_http_proxy",
		"URLsFor":        "urls_for",
		"search":         "search",
		"X":              "x",
		"IDs":            "ids",
		"OAuth2Token":    "o_auth2_token",
		"Add2Numbers":    "add2_numbers",
		"list_all":       "list_all",
		"List_All":       "list_all",
		"ParseURL":       "parse_url",
		"HTTPServer2Run": "http_server2_run",
		"ÄndereÖl":       "ändere_öl",
	} {
		if got := snake(in); got != want {
			t.Errorf("snake(%q) = %q, want %q", in, got, want)
		}
	}
}

func TestLowerCamel(t *testing.T) {
	for in, want := range map[string]string{
		"Store": "store", "HTTPClient": "httpClient", "DB": "db", "store": "store", "S": "s", "UserDB": "userDB",
	} {
		if got := lowerCamel(in); got != want {
			t.Errorf("lowerCamel(%q) = %q, want %q", in, got, want)
		}
	}
}

func TestCheckName(t *testing.T) {
	long := func(n int) string {
		b := make([]byte, n)
		for i := range b {
			b[i] = 'a'
		}
		return string(b)
	}
	for in, want := range map[string]nameRule{
		"search_books": nameGood, "a-B_9": nameGood, long(64): nameGood,
		long(65): nameRisky, "billing.list": nameRisky, long(128): nameRisky,
		"": nameBad, long(129): nameBad, "a b": nameBad, "größe": nameBad, "a/b": nameBad,
	} {
		if got := checkName(in); got != want {
			t.Errorf("checkName(%q) = %v, want %v", in, got, want)
		}
	}
}
