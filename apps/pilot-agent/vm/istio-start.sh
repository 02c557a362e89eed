#!/bin/bash
# Starts the agent on a machine outside Kubernetes, with its traffic redirected.
#
#   istio-start.sh        redirects traffic and runs the agent
#   istio-start.sh run    runs the agent alone
#   istio-start.sh init   redirects traffic alone; further arguments go to istio-iptables
#   istio-start.sh clean  ends the redirection
#
# Settings come from two files that `istioctl x workload entry configure` and the machine's owner write: cluster.env and
# sidecar.env. Paths begin in the working directory, which is / for the service.
set -eu

set -a
for file in "${ISTIO_SIDECAR_CONFIG:-./var/lib/istio/envoy/sidecar.env}" \
            "${ISTIO_CLUSTER_CONFIG:-./var/lib/istio/envoy/cluster.env}"; do
  # shellcheck disable=SC1090
  if [ -r "$file" ]; then . "$file"; fi
done
set +a

agent="${ISTIO_BIN_BASE:-/usr/local/bin}/pilot-agent"
command="${1-}"

redirects() { [ "${ISTIO_CUSTOM_IP_TABLES:-false}" != true ]; }
# Rules of a former start are in the way.
redirect() {
  "$agent" istio-iptables "$@" --cleanup-only
  "$agent" istio-iptables "$@"
}

case "$command" in
  clean)
    if redirects; then "$agent" istio-iptables --cleanup-only; fi
    exit 0
    ;;
  init | -p)
    if [ "$command" = init ]; then shift; fi
    if redirects; then redirect "$@"; fi
    exit 0
    ;;
  run) ;;
  *) if redirects; then redirect; fi ;;
esac

system="${ISTIO_SYSTEM_NAMESPACE:-istio-system}"
pilot="${PILOT_ADDRESS:-${ISTIO_PILOT_PORT:+istiod.$system.svc:$ISTIO_PILOT_PORT}}"

export CA_ADDR="${CA_ADDR:-${pilot:-istiod.$system.svc:15012}}"
# The first certificate is asked for by the token, and kept; the next ones by the one before.
export PROV_CERT="${PROV_CERT-./etc/certs}"
export OUTPUT_CERTS="${OUTPUT_CERTS-./etc/certs}"
export POD_NAMESPACE="${ISTIO_NAMESPACE:-default}"
export POD_NAME="${POD_NAME:-$(hostname -s)}"
export INSTANCE_IP="${ISTIO_SVC_IP:-$(hostname --all-ip-addresses | cut -d ' ' -f 1)}"
if [ -n "$pilot" ]; then
  PROXY_CONFIG="${PROXY_CONFIG:+$PROXY_CONFIG
}discoveryAddress: $pilot"
fi
export PROXY_CONFIG="${PROXY_CONFIG:-serviceCluster: ${ISTIO_SERVICE:-rawvm}
controlPlaneAuthPolicy: ${ISTIO_CP_AUTH:-MUTUAL_TLS}}"

# TPROXY has Envoy listen on addresses that aren't the machine's.
user="${EXEC_USER:-istio-proxy}"
if [ "${ISTIO_INBOUND_INTERCEPTION_MODE:-REDIRECT}" = TPROXY ]; then user=root; fi

read -r -a flags <<<"${ISTIO_AGENT_FLAGS:-}"
if [ "$user" = "$(id -un)" ]; then exec "$agent" proxy "${flags[@]}"; fi

logs="${ISTIO_LOG_DIR:-./var/log/istio}"
exec sudo -E -u "$user" -s /bin/bash -c 'exec "$@" 2>>"$0/istio.err.log" >>"$0/istio.log"' "$logs" "$agent" proxy "${flags[@]}"
