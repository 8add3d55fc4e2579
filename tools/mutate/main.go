// Mutate changes security-relevant code, one place at a time, and runs the tests that should fail.
// It modifies no file: an overlay compiles in all mutants, and one at a time is active. It first
// runs each test alone, to learn which mutants the test reaches, and runs only those tests with a
// mutant.
//
// A mutant is dead if a test of its package, or of other packages that are listed for it, fails or
// hangs, twice. A surviving mutant is a gap in the tests, or a change without effect; reasons.txt
// lists the latter with the reason. The exit code is 1 if a survivor has no reason, or a reason
// belongs to no survivor.
//
//	tools/mutate/run                       # all, for a night
//	tools/mutate/run -sample 20            # some, chosen by the day
//	tools/mutate/run -only mcphttp/post    # the mutants of some files
//	tools/mutate/run -list                 # prints the changes
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"hash/fnv"
	"os"
	"os/signal"
	"path/filepath"
	"regexp"
	"slices"
	"time"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	code, err := run(ctx)
	if err != nil {
		fmt.Fprintln(os.Stderr, "mutate:", err)
		code = 2
	}
	os.Exit(code)
}

func run(ctx context.Context) (code int, err error) {
	root := flag.String("root", "../..", "the root of the module")
	only := flag.String("only", "", "a regular expression: only mutants whose key it matches")
	sample := flag.Int("sample", 0, "how many mutants to try, chosen by -seed; 0 = all")
	seed := flag.String("seed", time.Now().UTC().Format(time.DateOnly), "what the sample is chosen by")
	shard := flag.String("shard", "1/1", "which part of the mutants to try, of how many")
	list := flag.Bool("list", false, "print the mutants and run nothing")
	out := flag.String("o", "", "write the report to this file, besides standard output")
	timeout := flag.Duration("timeout", 30*time.Second, "how much longer tests may take with a mutant")
	skip := flag.String("skip", "", "a package, such as "+hardening+", whose slow tests are not run; more survives then")
	flag.Parse()

	targets, err := readTargets("targets.txt")
	if err != nil {
		return 0, err
	}
	reasons, err := readReasons("reasons.txt")
	if err != nil {
		return 0, err
	}
	pattern, err := regexp.Compile(*only)
	if err != nil {
		return 0, fmt.Errorf("read -only: %w", err)
	}
	var all []*mutant
	for _, target := range targets {
		found, err := mutantsOf(filepath.Join(*root, target), target)
		if err != nil {
			return 0, err
		}
		all = append(all, found...)
	}
	number(all)
	stale := reasons.without(all)
	chosen := slices.DeleteFunc(slices.Clone(all), func(m *mutant) bool { return !pattern.MatchString(m.key()) })
	if chosen, err = part(chosen, *shard); err != nil {
		return 0, err
	}
	if *sample > 0 && *sample < len(chosen) {
		chosen = choose(chosen, *sample, *seed)
	}
	if *list {
		for _, m := range chosen {
			fmt.Println(m.key())
		}
		return 0, nil
	}
	if *root, err = filepath.Abs(*root); err != nil {
		return 0, err
	}
	r, err := newRunner(*root, *timeout, all)
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, r.Close()) }()
	r.skip = *skip
	report := &report{reasons: reasons, stale: stale}
	for i, m := range chosen {
		v, by, err := r.try(ctx, m)
		if ctx.Err() != nil {
			break
		}
		if err != nil {
			return 0, err
		}
		report.add(m, v)
		fmt.Fprintf(os.Stderr, "%d/%d %s: %s by %s\n", i+1, len(chosen), v, m.key(), by)
	}
	report.leftOut = r.leftOut()
	text := report.text()
	fmt.Print(text)
	if *out != "" {
		if err := os.WriteFile(*out, []byte(text), 0o666); err != nil {
			return 0, err
		}
	}
	if report.failed() {
		return 1, nil
	}
	return 0, nil
}

// part returns the mutants of a shard, such as 2/4.
func part(all []*mutant, shard string) (some []*mutant, err error) {
	var i, n int
	if _, err := fmt.Sscanf(shard, "%d/%d", &i, &n); err != nil || i < 1 || i > n {
		return nil, fmt.Errorf("-shard %s: write for example 2/4", shard)
	}
	for k, m := range all {
		if k%n == i-1 {
			some = append(some, m)
		}
	}
	return some, nil
}

// choose returns n mutants, the same ones for the same seed, regardless of the other mutants.
func choose(all []*mutant, n int, seed string) []*mutant {
	rank := func(m *mutant) uint64 {
		h := fnv.New64a()
		_, _ = h.Write([]byte(seed + "\x00" + m.key()))
		return h.Sum64()
	}
	sorted := slices.Clone(all)
	slices.SortFunc(sorted, func(a, b *mutant) int {
		switch x, y := rank(a), rank(b); {
		case x < y:
			return -1
		case x > y:
			return 1
		}
		return 0
	})
	return sorted[:n]
}
