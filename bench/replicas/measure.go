package main

func measure(args []string) error { return nil }
