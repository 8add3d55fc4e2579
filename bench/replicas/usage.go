package main

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"os"
	"strconv"
	"strings"
	"time"
)

// This file reads the resource usage of the processes in a deployment. CPU times and memory require
// Linux.

// address is the address of a replica.
func (d *deployment) address(i int) string { return d.replicas[i].config.(replicaConfig).Listen }

// tick is the unit of CPU times in /proc, on all Linux systems that Go supports.
const tick = 10 * time.Millisecond

// cpu returns the CPU time of all processes.
func (d *deployment) cpu() (sum time.Duration) {
	for _, c := range append(d.servers[:len(d.servers):len(d.servers)], d.replicas...) {
		text, err := os.ReadFile("/proc/" + strconv.Itoa(c.pid()) + "/stat")
		if err != nil {
			panic(err)
		}
		_, rest, _ := strings.Cut(string(text), ") ")
		fields := strings.Fields(rest)
		user, _ := strconv.Atoi(fields[11])
		system, _ := strconv.Atoi(fields[12])
		sum += time.Duration(user+system) * tick
	}
	return sum
}

// rss returns the resident memory of the NATS servers.
func (d *deployment) rss() (sum int64) {
	for _, c := range d.servers {
		text, err := os.ReadFile("/proc/" + strconv.Itoa(c.pid()) + "/statm")
		if err != nil {
			panic(err)
		}
		pages, _ := strconv.ParseInt(strings.Fields(string(text))[1], 10, 64)
		sum += pages * int64(os.Getpagesize())
	}
	return sum
}

// heap returns the used heap bytes of the first replica.
func (d *deployment) heap() int64 {
	text := get("http://" + d.address(0) + "/heap")
	n, err := strconv.ParseInt(string(text), 10, 64)
	if err != nil {
		panic(err)
	}
	return n
}

// messages returns the number of messages that the NATS servers have received from clients and sent
// to them.
func (d *deployment) messages() (sum int64) {
	for _, c := range d.servers {
		var v struct {
			In  int64 `json:"in_msgs"`
			Out int64 `json:"out_msgs"`
		}
		if err := json.Unmarshal(get("http://"+c.config.(natsConfig).Monitor+"/varz"), &v); err != nil {
			panic(err)
		}
		sum += v.In + v.Out
	}
	return sum
}

// written returns the number of messages that JetStream has written.
func (d *deployment) written() (sum uint64) {
	if d.js == nil {
		return 0
	}
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
	defer cancel()
	list := d.js.ListStreams(ctx)
	for s := range list.Info() {
		sum += s.State.LastSeq
	}
	if list.Err() != nil {
		panic(list.Err())
	}
	return sum
}

func get(url string) []byte {
	resp, err := http.Get(url)
	if err != nil {
		panic(err)
	}
	defer func() { _ = resp.Body.Close() }()
	text, err := io.ReadAll(resp.Body)
	if err != nil {
		panic(err)
	}
	return text
}
