# The guarding proxy, or with another command any other part of vista_stream. The models are in the wheel: a
# container needs no network but to its upstream, its store and its verifier pool.
#
#   docker build --tag vista-stream .
FROM python:3.12-slim-bookworm AS build
ARG EXTRAS=cpu,parse,proxy,metrics,tracing,redis
WORKDIR /source
COPY pyproject.toml README.md LICENSE NOTICE ./
COPY vista_stream vista_stream
COPY adapters adapters
RUN python -m venv /opt/vista-stream
RUN /opt/vista-stream/bin/pip install --no-cache-dir --disable-pip-version-check "/source[${EXTRAS}]"

FROM python:3.12-slim-bookworm
RUN useradd --system --uid 10001 --create-home --shell /usr/sbin/nologin vista
COPY --from=build /opt/vista-stream /opt/vista-stream
ENV PATH=/opt/vista-stream/bin:$PATH PYTHONUNBUFFERED=1
USER 10001
WORKDIR /home/vista
EXPOSE 8700
HEALTHCHECK --interval=10s --timeout=3s --start-period=60s --retries=3 \
  CMD ["python", "-c", "import urllib.request; urllib.request.urlopen('http://127.0.0.1:8700/healthz', timeout=2)"]
ENTRYPOINT ["vista-stream"]
# It ends with one line that says what is missing until it is given tokens, by VISTA_STREAM_TOKENS or --token-file.
CMD ["serve", "--host", "0.0.0.0", "--port", "8700"]
