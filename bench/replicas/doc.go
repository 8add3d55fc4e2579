// Command replicas implements the servers, replicas and clients to test and measure replicas on
// NATS JetStream.
//
// Its tests ([TestSoak] and others) run three JetStream servers, three replicas and a balancer as
// real processes on loopback addresses, kill them under load, and check the observations of
// clients. Without arguments the command prints the figures for docs/serve/replicas.md.
package main
