// Driver measures the servers of this module side by side. Start it with bench/run.
package main

import (
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"log"
	"os"
	"strings"
	"time"
)

// results are the results of a run.
type results struct {
	Date    time.Time                   `json:"date"`
	Took    string                      `json:"took"`
	Machine machine                     `json:"machine"`
	Effort  string                      `json:"effort"`
	Cells   []*cell                     `json:"cells"`
	Starts  []starts                    `json:"starts"`
	Held    []held                      `json:"held"`
	Sizes   map[string]map[string]int64 `json:"sizes"` // by server and kind, bytes
}

// options are the values of the flags.
type options struct {
	short               bool
	only, among, bin    string
	repetitions         int
	sample              time.Duration
	results, from, docs string
}

func main() {
	log.SetFlags(0)
	var o options
	flag.BoolVar(&o.short, "short", false, "only show that all servers work and that all answers are right")
	flag.StringVar(&o.only, "only", "", "measure only what has one of these `words` in transport/call/number, such as http-session/search/64")
	flag.StringVar(&o.among, "servers", "", "measure only the servers of these `names`, with commas between them")
	flag.StringVar(&o.bin, "bin", "", "take the programs NAME-stdio and NAME-http of this `directory` instead of building them")
	flag.IntVar(&o.repetitions, "repetitions", thorough.repetitions, "`number` of samples for each place of the table")
	flag.DurationVar(&o.sample, "sample", thorough.measured, "`time` that a sample takes")
	flag.StringVar(&o.results, "results", "", "also write the samples as JSON to this `file`")
	flag.StringVar(&o.from, "from", "", "measure nothing, but print the tables of this `file`")
	flag.StringVar(&o.docs, "docs", "", "write the tables and the plot into this `directory`, such as docs/decide: performance.md and performance.svg")
	flag.Parse()
	r, err := o.measure()
	if r != nil {
		err = errors.Join(err, o.report(r))
	}
	if err != nil {
		log.Fatal("bench: ", err)
	}
}

// report writes the results to the selected outputs.
func (o *options) report(r *results) error {
	fmt.Print(r.markdown())
	if o.results != "" {
		text, err := json.MarshalIndent(r, "", "\t")
		if err != nil {
			return err
		}
		if err := os.WriteFile(o.results, append(text, '\n'), 0o644); err != nil {
			return err
		}
	}
	if o.docs != "" {
		return r.writeDocs(o.docs)
	}
	return nil
}

// measure takes the samples. After an error the results are incomplete.
func (o *options) measure() (*results, error) {
	if o.from != "" {
		text, err := os.ReadFile(o.from)
		if err != nil {
			return nil, err
		}
		r := new(results)
		return r, json.Unmarshal(text, r)
	}
	w, err := findWorkshop(os.Stderr)
	if err != nil {
		return nil, err
	}
	e := thorough
	e.repetitions, e.measured = o.repetitions, o.sample
	if o.short {
		e = quick
	}
	if o.among != "" {
		servers = strings.Split(o.among, ",")
	}
	w.bin = w.out("bin")
	if o.bin != "" {
		w.bin = o.bin
	} else {
		began := time.Now()
		if err := w.buildServers(); err != nil {
			return nil, err
		}
		w.say("built the servers in %.0f s\n", time.Since(began).Seconds())
	}
	began := time.Now()
	r := &results{Date: began.UTC(), Machine: thisMachine(), Sizes: map[string]map[string]int64{}}
	r.Effort = fmt.Sprintf("%d interleaved repetitions of %v", e.repetitions, e.measured)
	for _, server := range servers {
		r.Sizes[server] = map[string]int64{"stdio": w.size(server, "stdio"), "http": w.size(server, "http")}
	}
	r.Cells, err = w.table(chosen(o.short, o.only), e)
	if o.only == "" || strings.Contains(o.only, "held") {
		var failure error
		r.Held, failure = w.holdAll(e)
		err = errors.Join(err, failure)
	}
	if o.only == "" || strings.Contains(o.only, "start") {
		var failure error
		r.Starts, failure = w.startUps(e)
		err = errors.Join(err, failure)
	}
	r.Took = time.Since(began).Round(time.Second).String()
	return r, err
}

// chosen returns the selected loads.
func chosen(short bool, only string) (loads []*load) {
	for _, l := range matrix() {
		name := fmt.Sprintf("%s/%s/%d", l.over.name, l.scenario.name, l.at)
		if short && (l.at == 512 || l.at == 1 && l.over.http) {
			continue
		}
		if short && l.at == 64 {
			l.at = 8
		}
		for word := range strings.FieldsSeq(strings.ReplaceAll(only+" ", ",", " ")) {
			if strings.Contains(name+"/", word) {
				loads = append(loads, l)
				break
			}
		}
		if only == "" {
			loads = append(loads, l)
		}
	}
	return loads
}
