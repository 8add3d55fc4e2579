package directive

import (
	"fmt"
	"math"
	"strconv"
	"strings"
)

var sizeUnits = map[string]int64{
	"": 1, "B": 1,
	"kB": 1e3, "KB": 1e3, "MB": 1e6, "GB": 1e9,
	"KiB": 1 << 10, "MiB": 1 << 20, "GiB": 1 << 30,
}

// parseSize reads a number of bytes: 65536, 64KiB, 1.5MiB, 2MB. KiB, MiB and GiB are powers of
// 1024; kB (or KB), MB and GB powers of 1000. The result is an integer of at least 1.
func parseSize(s string) (int64, error) {
	digits := strings.TrimRight(s, "BKMGik")
	unit, ok := sizeUnits[s[len(digits):]]
	if !ok {
		return 0, fmt.Errorf("size %q has an unknown unit; known: B, kB, MB, GB, KiB, MiB, GiB", s)
	}
	if digits == "" || strings.Trim(digits, "0123456789.") != "" {
		return 0, fmt.Errorf("size %q is not a number of bytes such as 65536 or 64KiB", s)
	}
	n, err := strconv.ParseFloat(digits, 64)
	if err != nil {
		return 0, fmt.Errorf("size %q is not a number of bytes such as 65536 or 64KiB", s)
	}
	bytes := n * float64(unit)
	switch {
	case bytes < 1:
		return 0, fmt.Errorf("size %q is less than one byte", s)
	case bytes >= math.MaxInt64:
		return 0, fmt.Errorf("size %q is too large", s)
	case bytes != math.Trunc(bytes):
		return 0, fmt.Errorf("size %q is not a whole number of bytes", s)
	}
	return int64(bytes), nil
}
