use strict;
use warnings;
use IO::Socket::INET;

$| = 1;
$SIG{TERM} = sub { exit 0 };
my $port = $ENV{PORT} || 8080;
my $server = IO::Socket::INET->new(LocalPort => $port, Listen => 16, ReuseAddr => 1) or die "port $port: $!\n";
print qx(nvidia-smi -L 2>&1), "serving on port $port\n";

while (1) {
  my $client = $server->accept or next;
  eval {
    local $SIG{ALRM} = sub { die "silent\n" };
    local $SIG{PIPE} = 'IGNORE';
    alarm 1;
    my $request = <$client>;
    alarm 0;
    if (defined $request) {
      my $gpus = qx(nvidia-smi -L 2>&1);
      my $status = $? == 0 ? '200 OK' : '503 Service Unavailable';
      my $body = "revision: " . ($ENV{REVISION} || '') . "\n$gpus";
      my $length = length $body;
      print $client "HTTP/1.0 $status\r\nContent-Type: text/plain\r\nContent-Length: $length\r\n\r\n$body";
    }
  };
  alarm 0;
  close $client;
}
